# A function of libm needs -lm, as with clang: configure asks.
cat > ask.c << 'EOT'
char ceil(void);
int main(void) { return ceil(); }
EOT
fails 1 gimlet-cc -w ask.c -o ask
gimlet-cc -w ask.c -lm -o ask
cat > wide.c << 'EOT'
int main(int argc, char **argv)
{
    unsigned __int128 wide = ((unsigned __int128)argc << 100) + 7;
    return (int)(wide / (unsigned)(argc + 2) % 11 + wide % 1000003);
}
EOT
gimlet-cc -O0 wide.c -o wide
clang-19 -O0 wide.c -o expected
same "$(./wide; echo $?)" "$(./expected; echo $?)"

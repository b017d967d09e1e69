# giflib: its tools on pictures of its own; its parser of options takes variadic arguments.
#~ PACKAGE: giflib
#~ PROGRAM: giftext
#~ CASE: pic/welcome2.gif: @@

TOOLS="giftext gif2rgb giffix giftool gifbuild gifclrmp"

configure() { :; }

# The tools have the library in them, or they would load the system's.
build() {
    library="dgif_lib.c egif_lib.c gifalloc.c gif_err.c gif_font.c gif_hash.c openbsd-reallocarray.c quantize.c"
    for tool in $TOOLS; do
        "$CC" -O2 -std=gnu99 -w -I. "$tool.c" getarg.c qprintf.c $library -o "$tool" -lm
    done
}

check() {
    for picture in pic/*.gif; do
        name=$(basename "$picture" .gif)
        output "text-$name" ./giftext "$picture"
        output "rgb-$name" sh -c "./gif2rgb -1 -o /tmp/rgb '$picture' && cksum < /tmp/rgb"
        output "fix-$name" sh -c "./giffix '$picture' | cksum"
        output "dump-$name" sh -c "./gifbuild -d '$picture' | sed 1d"
        output "colours-$name" sh -c "./gifclrmp -s '$picture' | head -50"
        output "tool-$name" sh -c "./giftool -b 1 -i '$picture' | cksum"
    done
}

/* Reads a cue sheet from standard input and prints what the library found in it. */
#include <stdio.h>
#include "libcue.h"

static const char *or_none(const char *text) {
    return text ? text : "-";
}

int main(void) {
    static char sheet[1 << 16];
    size_t len = fread(sheet, 1, sizeof sheet - 1, stdin);
    sheet[len] = 0;
    Cd *cd = cue_parse_string(sheet);
    if (!cd) {
        puts("no cue sheet");
        return 1;
    }
    printf("%s, %s, mode %d\n", or_none(cdtext_get(PTI_TITLE, cd_get_cdtext(cd))), or_none(cd_get_cdtextfile(cd)),
           cd_get_mode(cd));
    printf("date %s\n", or_none(rem_get(REM_DATE, cd_get_rem(cd))));
    for (int i = 1; i <= cd_get_ntrack(cd); i++) {
        Track *track = cd_get_track(cd, i);
        printf("%d: %s, %s, start %ld, length %ld, index 0 at %ld, isrc %s\n", i, or_none(track_get_filename(track)),
               or_none(cdtext_get(PTI_TITLE, track_get_cdtext(track))), track_get_start(track),
               track_get_length(track), track_get_index(track, 0), or_none(track_get_isrc(track)));
    }
    cd_delete(cd);
    return 0;
}

// A lift: doors and motor are moved by letters; it must never move with its doors open.
//~ STDIN: "ocud"
//~ MAX-LEN: 12
//~ FINDS: assertion move
//~ SOLUTION: "uukou"
#include <assert.h>
#include <stdio.h>

static int floor_now, is_open, has_key;

static void move(int by)
{
    assert(!is_open); //~ HERE
    floor_now += by;
}

static void press(int button)
{
    switch (button) {
    case 'o': is_open = 1; break;
    case 'c': is_open = 0; break;
    case 'k': has_key = floor_now == 2; break;
    case 'u':
        if (floor_now < 5 && (!is_open || has_key))
            move(1);
        break;
    case 'd':
        if (floor_now > 0 && !is_open)
            move(-1);
        break;
    }
}

int main(void)
{
    int button;
    while ((button = getchar()) != EOF)
        press(button);
    printf("floor %d\n", floor_now);
    return 0;
}

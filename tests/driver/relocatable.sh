# Objects that were joined, by ld and by the driver.
gimlet-cc -c main.c twice.c
ld -r main.o twice.o -o by_ld.o
gimlet-cc -r main.o twice.o -o by_driver.o
for object in by_ld by_driver; do
    gimlet-cc $object.o -o $object
    same "$(fails 3 ./$object)" 2
    same "$(fails 3 ./$object.plain)" 2
done

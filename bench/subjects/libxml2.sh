# libxml2: a parser of XML and HTML by hand, schemas, XPath. The sources ship no documents, so its test of all functions and
# inputs of ours are what there is.
#~ PACKAGE: libxml2
#~ PROGRAM: xmllint
#~ CASE: inputs/document.xml: --noout -
#~ CASE: inputs/entities.xml: --noent -
#~ CASE: inputs/list.xml: --valid -

configure() {
    autoconf_configure --disable-shared --without-python --without-lzma --without-zlib --without-icu --without-threads \
        --without-http --without-ftp CFLAGS=-O2
}

build() {
    make -j2 xmllint testapi
}

check() {
    verdict testapi ./testapi
    for file in "$INPUTS"/*.xml; do
        for options in --noent --valid --canonicalize --html --sax --pattern=//a "--xpath //*" --walker --debug; do
            # shellcheck disable=SC2086
            output "$(basename "$file")$(echo "$options" | tr -c 'a-z\n' -)" ./xmllint $options "$file"
        done
    done
}

//! Words for mutants: from a file in AFL's format, and from the constants of a program.

use rustc_hash::FxHashSet;

/// Words of a file: `name="text"` or `"text"` in each line, with `\\xNN` for other bytes; `#` begins a comment. The error
/// names the line.
pub fn parse(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let quoted = line.split_once('"').and_then(|(_, rest)| rest.strip_suffix('"'));
        let word = quoted.and_then(unescape);
        let word = word.ok_or_else(|| format!("line {}: not of the form name=\"text\": {line}", number + 1))?;
        words.push(word);
    }
    Ok(words)
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut word = Vec::new();
    while let Some(byte) = bytes.next() {
        word.push(match byte {
            b'\\' => match bytes.next()? {
                b'x' => {
                    let digits = [bytes.next()?, bytes.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                other => other,
            },
            other => other,
        });
    }
    Some(word)
}

/// Lengths of strings that are taken for words.
const WORD_LENGTHS: std::ops::RangeInclusive<usize> = 2..=20;
/// More would keep those that matter from being used.
const N_WORDS_MAX: usize = 1000;

/// C strings among the constants of a program that may be words of its input: without blanks, and no formats.
pub fn strings(constants: &[u8]) -> Vec<Vec<u8>> {
    let is_word = |text: &&[u8]| {
        WORD_LENGTHS.contains(&text.len()) && text.iter().all(|&byte| byte.is_ascii_graphic() && byte != b'%')
    };
    let mut known = FxHashSet::default();
    let words = constants.split(|&byte| byte == 0).filter(is_word).filter(|&word| known.insert(word));
    words.take(N_WORDS_MAX).map(<[u8]>::to_vec).collect()
}

/// The shortest text that is taken for a sample of the program's language, and how many of a hundred bytes have to be
/// brackets or semicolons: messages have few of them.
const TEXT_LEN_MIN: usize = 100;
const BRACKETS_PERCENT: usize = 4;

/// C strings among the constants of a program that may be in the language that it reads: what an interpreter defines in
/// its own language, examples, defaults.
pub fn texts(constants: &[u8]) -> Vec<Vec<u8>> {
    let is_sample = |text: &&[u8]| {
        let n_brackets = text.iter().filter(|byte| b"()[]{};".contains(byte)).count();
        text.len() >= TEXT_LEN_MIN && crate::text::is_text(text) && n_brackets * 100 >= text.len() * BRACKETS_PERCENT
    };
    constants.split(|&byte| byte == 0).filter(is_sample).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_afls_are_read() {
        let text = "# words\n\nkeyword_if=\"if\"\n  \"a\\x00\\\\b\\\"\"\nlevel@2=\"x=\\\"y\\\"\"\n";
        assert_eq!(parse(text).unwrap(), [&b"if"[..], b"a\0\\b\"", b"x=\"y\""]);
        for bad in ["if", "x=\"a", "\"\\x1\""] {
            assert!(parse(&format!("\"ok\"\n{bad}")).unwrap_err().starts_with("line 2:"), "{bad}");
        }
    }

    #[test]
    fn strings_without_blanks_are_words() {
        let constants = b"while\0two words\0%d\0x\0auto\0while\0\x01\x02\0";
        assert_eq!(strings(constants), [b"while".to_vec(), b"auto".to_vec()]);
    }

    #[test]
    fn long_texts_with_brackets_are_samples() {
        let sample = "def map(f): [.[] | f];\n".repeat(5);
        let message = "Usage: a program with many options, all of which are explained here [1]. ".repeat(5);
        let constants = format!("{message}\0{sample}\0f(x);\0");
        assert_eq!(texts(constants.as_bytes()), [sample.into_bytes()]);
    }
}

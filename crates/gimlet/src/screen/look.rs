//! Colours and signs: few of them, and none where the user or the terminal has none.

use ratatui::style::{Color, Modifier, Style};

pub struct Look {
    pub has_colours: bool,
    /// Only signs that every terminal has.
    pub is_ascii: bool,
}

/// Parts of a sign, from an eighth to the whole.
const BLOCKS: [char; 8] =
    ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];

impl Look {
    pub fn of_environment() -> Look {
        let value = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value);
        Look { has_colours: value("NO_COLOR").is_none(), is_ascii: locale.is_some_and(|locale| !is_utf8(&locale)) }
    }

    fn colour(&self, colour: Color) -> Style {
        if self.has_colours {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    pub fn title(&self) -> Style {
        self.colour(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// What stands beside a figure.
    pub fn label(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub fn curve(&self) -> Style {
        self.colour(Color::Cyan)
    }

    pub fn good(&self) -> Style {
        self.colour(Color::Green).add_modifier(Modifier::BOLD)
    }

    pub fn warning(&self) -> Style {
        self.colour(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub fn bad(&self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub fn selected(&self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub fn rule(&self) -> &'static str {
        if self.is_ascii {
            "-"
        } else {
            "\u{2500}"
        }
    }

    /// A column that is so many eighths of a sign high.
    pub fn column(&self, n_eighths: usize) -> char {
        match n_eighths {
            0 => ' ',
            n_eighths if self.is_ascii => ['.', ':', '#'][n_eighths.min(8) * 2 / 8],
            n_eighths => BLOCKS[n_eighths.min(8) - 1],
        }
    }

    pub fn arrows(&self) -> &'static str {
        if self.is_ascii {
            "Up/Down"
        } else {
            "\u{2191}\u{2193}"
        }
    }
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

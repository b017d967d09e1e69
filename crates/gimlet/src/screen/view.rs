//! What the user looks at, and what keys do.

use super::keys::Key;

/// What is on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Page {
    #[default]
    Overview,
    /// The selected finding.
    Finding,
    Help,
}

/// What a key asks of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Or go on.
    Pause,
    Quit,
    /// At once, if it is to quit already.
    Insist,
    /// Draw everything anew.
    Redraw,
    /// The process, as Ctrl-Z does.
    Stop,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    pub page: Page,
    /// Of the findings.
    pub selected: usize,
    pub n_findings: usize,
    /// Lines of a page that are above what is shown.
    pub scrolled: usize,
    /// Lines that a page could be scrolled by, and those that are shown, at the last picture.
    pub scrolled_max: usize,
    pub n_lines: usize,
    /// The user wants the search to wait; it does; it is to end.
    pub is_paused: bool,
    pub is_waiting: bool,
    pub is_ending: bool,
}

impl View {
    /// Takes in how many findings there are.
    pub fn settle(&mut self, n_findings: usize) {
        self.n_findings = n_findings;
        self.selected = self.selected.min(n_findings.saturating_sub(1));
        if n_findings == 0 && self.page == Page::Finding {
            self.page = Page::Overview;
        }
    }

    pub fn press(&mut self, key: Key) -> Option<Act> {
        match key {
            Key::Control('c') => return Some(Act::Insist),
            Key::Control('l') => return Some(Act::Redraw),
            Key::Control('z') => return Some(Act::Stop),
            Key::Sign('q' | 'Q') => return Some(Act::Quit),
            Key::Sign('p' | 'P' | ' ') => return Some(Act::Pause),
            Key::Sign('?' | 'h') | Key::F1 if self.page == Page::Help => self.turn_to(Page::Overview),
            Key::Sign('?' | 'h') | Key::F1 => self.turn_to(Page::Help),
            Key::Escape | Key::Backspace => self.turn_to(Page::Overview),
            Key::Enter if self.page == Page::Overview && self.n_findings > 0 => self.turn_to(Page::Finding),
            Key::Left if self.page == Page::Finding => self.select(self.selected.saturating_sub(1)),
            Key::Right if self.page == Page::Finding => self.select(self.selected + 1),
            Key::Up => self.go(-1),
            Key::Down => self.go(1),
            Key::PageUp => self.go(-(self.n_lines.max(1) as isize)),
            Key::PageDown => self.go(self.n_lines.max(1) as isize),
            Key::Home => self.go(isize::MIN),
            Key::End => self.go(isize::MAX),
            _ => {}
        }
        None
    }

    fn turn_to(&mut self, page: Page) {
        self.page = page;
        self.scrolled = 0;
    }

    fn select(&mut self, finding: usize) {
        self.selected = finding.min(self.n_findings.saturating_sub(1));
        self.scrolled = 0;
    }

    /// Goes up or down: in the list of findings, or on a page.
    fn go(&mut self, by: isize) {
        if self.page == Page::Overview {
            self.select(self.selected.saturating_add_signed(by));
        } else {
            self.scrolled = self.scrolled.saturating_add_signed(by).min(self.scrolled_max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(view: &mut View, keys: &[Key]) {
        keys.iter().for_each(|&key| assert_eq!(view.press(key), None));
    }

    #[test]
    fn keys_open_findings() {
        let mut view = View::default();
        press(&mut view, &[Key::Down, Key::Enter]);
        assert_eq!((view.page, view.selected), (Page::Overview, 0));
        view.settle(3);
        press(&mut view, &[Key::Down, Key::Down, Key::Down, Key::Up, Key::Enter]);
        assert_eq!((view.page, view.selected), (Page::Finding, 1));
        press(&mut view, &[Key::Right, Key::Right]);
        assert_eq!(view.selected, 2);
        press(&mut view, &[Key::Home]);
        assert_eq!((view.page, view.selected), (Page::Finding, 2));
        press(&mut view, &[Key::Escape, Key::Home]);
        assert_eq!((view.page, view.selected), (Page::Overview, 0));
        press(&mut view, &[Key::End]);
        assert_eq!(view.selected, 2);
        press(&mut view, &[Key::Sign('?')]);
        assert_eq!(view.page, Page::Help);
        press(&mut view, &[Key::Sign('?'), Key::Enter]);
        view.settle(0);
        assert_eq!((view.page, view.selected), (Page::Overview, 0));
    }

    #[test]
    fn pages_do_not_scroll_beyond_their_end() {
        let mut view = View { page: Page::Help, scrolled_max: 4, n_lines: 3, ..View::default() };
        press(&mut view, &[Key::PageDown, Key::PageDown, Key::Down]);
        assert_eq!(view.scrolled, 4);
        press(&mut view, &[Key::PageUp, Key::Up, Key::Up]);
        assert_eq!(view.scrolled, 0);
    }

    #[test]
    fn keys_act() {
        let mut view = View::default();
        for (key, act) in [
            (Key::Sign('q'), Some(Act::Quit)),
            (Key::Control('c'), Some(Act::Insist)),
            (Key::Sign('p'), Some(Act::Pause)),
            (Key::Control('z'), Some(Act::Stop)),
            (Key::Control('l'), Some(Act::Redraw)),
            (Key::Control('p'), None),
        ] {
            assert_eq!(view.press(key), act);
        }
    }
}

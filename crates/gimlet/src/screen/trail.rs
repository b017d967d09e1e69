//! What figures were before: the speed of the last seconds, and coverage over time.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::time::Duration;

use gimlet_explore::corpus::PLOT_DATA;
use gimlet_report::Results;

/// Points of the curve; when there are more, every other one goes, and later ones are as far apart as those that stay.
const N_POINTS_MAX: usize = 1024;

/// How far back the speed looks.
const RECENT: Duration = Duration::from_secs(5);

/// Columns of `plot_data`.
const TIME_COLUMN: usize = 0;
const RUNS_COLUMN: usize = 11;
const EDGES_COLUMN: usize = 12;

#[derive(Default)]
pub struct Trail {
    /// Time and branches taken, at moments when there were more than before.
    points: Vec<(Duration, u64)>,
    /// Between two of them.
    spacing: Duration,
    /// Time and runs of the last seconds.
    recent: VecDeque<(Duration, u64)>,
    /// The same from the beginning on, further apart.
    runs: Vec<(Duration, u64)>,
    runs_spacing: Duration,
}

impl Trail {
    /// With what an earlier search plotted.
    pub fn of_folder(out: &Path) -> Trail {
        Trail::of_plot(&fs::read_to_string(out.join(PLOT_DATA)).unwrap_or_default())
    }

    fn of_plot(text: &str) -> Trail {
        let mut trail = Trail::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split(',').map(str::trim).collect();
            let number = |column: usize| columns.get(column).and_then(|text| text.parse::<u64>().ok());
            if let (Some(seconds), Some(n_edges)) = (number(TIME_COLUMN), number(EDGES_COLUMN)) {
                trail.point(Duration::from_secs(seconds), n_edges);
                trail.note_runs(Duration::from_secs(seconds), number(RUNS_COLUMN).unwrap_or(0));
            }
        }
        trail
    }

    pub fn add(&mut self, results: &Results) {
        let (now, n_runs) = (results.time.elapsed(), results.runs.executions);
        self.point(now, results.coverage.n_covered);
        self.note_runs(now, n_runs);
        if self.recent.back().is_none_or(|&(last, _)| last < now) {
            self.recent.push_back((now, n_runs));
        }
        // One that is older stays, to measure from.
        while self.recent.get(1).is_some_and(|&(time, _)| time + RECENT <= now) {
            self.recent.pop_front();
        }
    }

    fn point(&mut self, time: Duration, n_covered: u64) {
        match self.points.last_mut() {
            Some((last, most)) if n_covered <= *most || time < *last => return,
            // One point stands for all that are this near.
            Some((last, most)) if time < *last + self.spacing => *most = n_covered,
            _ => self.points.push((time, n_covered)),
        }
        if self.points.len() > N_POINTS_MAX {
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.spacing = time / (N_POINTS_MAX / 2) as u32;
        }
    }

    fn note_runs(&mut self, time: Duration, n_runs: u64) {
        if self.runs.last().is_some_and(|&(last, most)| time < last + self.runs_spacing || n_runs < most) {
            return;
        }
        self.runs.push((time, n_runs));
        if self.runs.len() > N_POINTS_MAX {
            let mut number = 0;
            self.runs.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.runs_spacing = time / (N_POINTS_MAX / 2) as u32;
        }
    }

    /// Runs a second in each of so many equal parts of the time from the beginning until now.
    pub fn speeds(&self, now: Duration, n_parts: usize) -> Vec<u64> {
        let part = now.as_secs_f64() / n_parts.max(1) as f64;
        if part <= 0.0 {
            return vec![0; n_parts];
        }
        let n_runs: Vec<f64> = (0..=n_parts).map(|number| self.runs_at(part * number as f64)).collect();
        n_runs.windows(2).map(|pair| ((pair[1] - pair[0]) / part).round() as u64).collect()
    }

    /// Runs until a moment, between those that are known.
    fn runs_at(&self, seconds: f64) -> f64 {
        let after = self.runs.partition_point(|(time, _)| time.as_secs_f64() <= seconds);
        let point = |&(time, n_runs): &(Duration, u64)| (time.as_secs_f64(), n_runs as f64);
        let before = after.checked_sub(1).and_then(|at| self.runs.get(at)).map_or((0.0, 0.0), point);
        match self.runs.get(after).map(point) {
            Some((time, n_runs)) => {
                before.1 + (n_runs - before.1) * (seconds - before.0) / (time - before.0).max(f64::EPSILON)
            }
            None => before.1,
        }
    }

    /// Runs a second, lately.
    pub fn speed(&self) -> Option<f64> {
        let (&(start, n_before), &(end, n_now)) = (self.recent.front()?, self.recent.back()?);
        let seconds = end.saturating_sub(start).as_secs_f64();
        (seconds > 0.0).then(|| n_now.saturating_sub(n_before) as f64 / seconds)
    }

    /// Branches taken at so many moments from the beginning until now.
    pub fn curve(&self, now: Duration, n_moments: usize) -> Vec<u64> {
        let mut points = self.points.iter().peekable();
        let mut n_covered = 0;
        let mut curve = Vec::new();
        for number in 1..=n_moments {
            let moment = now.mul_f64(number as f64 / n_moments as f64);
            while let Some(&(_, more)) = points.next_if(|&&(time, _)| time <= moment) {
                n_covered = more;
            }
            curve.push(n_covered);
        }
        curve
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_curve_goes_from_the_beginning_until_now() {
        let mut trail = Trail::of_plot("# relative_time, ...\n1, 0, 0, 1, 0, 0, 1%, 0, 0, 0, 9.5, 9, 4\nhalf of a li");
        trail.point(seconds(5), 8);
        trail.point(seconds(6), 8);
        assert_eq!(trail.curve(seconds(10), 5), [4, 4, 8, 8, 8]);
        assert!(trail.curve(seconds(10), 0).is_empty());
        assert_eq!(Trail::default().curve(seconds(10), 2), [0, 0]);
    }

    #[test]
    fn a_long_search_keeps_a_thin_curve() {
        let mut trail = Trail::default();
        (0..100_000).for_each(|number| trail.point(seconds(number), number));
        assert!(trail.points.len() <= N_POINTS_MAX);
        let curve = trail.curve(seconds(99_999), 100);
        assert!(
            curve.iter().enumerate().all(|(number, &n)| n.abs_diff(1000 * (number as u64 + 1)) < 1000),
            "{curve:?}"
        );
    }

    #[test]
    fn speeds_go_from_the_beginning_until_now() {
        let mut trail = Trail::of_plot("1, 0, 0, 1, 0, 0, 1%, 0, 0, 0, 9.5, 10, 4\n");
        trail.note_runs(seconds(2), 20);
        trail.note_runs(seconds(4), 220);
        assert_eq!(trail.speeds(seconds(4), 4), [10, 10, 100, 100]);
        assert_eq!(trail.speeds(seconds(4), 2), [10, 100]);
        assert_eq!(trail.speeds(seconds(0), 2), [0, 0]);
        assert!(trail.speeds(seconds(4), 0).is_empty());
        assert_eq!(Trail::default().speeds(seconds(10), 2), [0, 0]);
        let mut trail = Trail::default();
        (0..100_000).for_each(|number| trail.note_runs(seconds(number), 50 * number));
        assert!(trail.runs.len() <= N_POINTS_MAX);
        let speeds = trail.speeds(seconds(99_000), 20);
        assert!(speeds.iter().all(|speed| speed.abs_diff(50) <= 5), "{speeds:?}");
    }

    #[test]
    fn speed_is_of_the_last_seconds() {
        let mut trail = Trail::default();
        assert_eq!(trail.speed(), None);
        for second in 0..60 {
            let mut results = Results::default();
            results.time.seconds = second as f64;
            results.runs.executions = if second < 40 { 10 * second } else { 400 + 100 * (second - 40) };
            trail.add(&results);
        }
        assert_eq!(trail.speed(), Some(100.0));
    }
}

package dev.decant.lab.carriers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The effect of a lower priority of the carriers: compares each row that has one with the same row without. */
final class PriorityFinding {
  private PriorityFinding() {}

  /** Returns the finding as one sentence. */
  static String of(List<CarriersRow> rows) {
    List<String> better = new ArrayList<>();
    List<String> worse = new ArrayList<>();
    int compared = 0;
    for (CarriersRow row : rows) {
      Optional<CarriersRow> base = row.setup().setting().nice() == 0
          ? Optional.empty()
          : withoutNice(rows, row.setup());
      if (base.isPresent()) {
        compared++;
        double gain = Gain.of(row, base.get());
        if (gain != 1) {
          (gain > 1 ? better : worse).add(effect(row, base.get()));
        }
      }
    }
    if (compared == 0) {
      return "A lower priority of the carriers was not measured beside the usual one.";
    }
    return "A lower priority of the carriers helped in " + better.size() + " of " + compared + " setups" + list(better)
        + ", harmed in " + worse.size() + list(worse) + ", and in " + (compared - better.size() - worse.size())
        + " made no difference beyond the samples' own drift.";
  }

  private static Optional<CarriersRow> withoutNice(List<CarriersRow> rows, Setup setup) {
    Setup base = new Setup(setup.server(), setup.load(), setup.connections(), setup.setting().withNice(0));
    return rows.stream().filter(row -> row.setup().equals(base)).findFirst();
  }

  private static String effect(CarriersRow row, CarriersRow base) {
    return String.format(Locale.ROOT, "%s: p99 %.1f instead of %.1f ms, %,.0f instead of %,.0f requests/s",
        row.setup().label(), row.latencyMicros(99) / 1000, base.latencyMicros(99) / 1000, row.requestsPerSecond(),
        base.requestsPerSecond());
  }

  private static String list(List<String> effects) {
    return effects.isEmpty() ? "" : " (" + String.join("; ", effects) + ")";
  }
}

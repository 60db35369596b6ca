package dev.decant.lab.fix;

import dev.decant.lab.scenario.Bar;
import java.util.Locale;

/**
 * A bar of {@code decant fix} and its verdict.
 *
 * @param work work that the bar is about
 * @param mode mode that the bar is about
 * @param judged the bar with its verdict
 */
public record FixVerdict(FixWork work, FixMode mode, Bar.Judged judged) {

  private static final int WIDTH = 123;

  @Override
  public String toString() {
    return judged.line(String.format(Locale.ROOT, "%-38s %s", work.label() + ", " + mode.title(), judged.bar().text()),
        WIDTH);
  }
}

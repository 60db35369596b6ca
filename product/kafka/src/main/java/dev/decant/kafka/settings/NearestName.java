package dev.decant.kafka.settings;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a user may have meant by an unknown one. */
final class NearestName {
  /** One character may be wrong, and one more for each of this many characters. */
  private static final int CHARACTERS_PER_ERROR = 5;
  private static final int MOST_ERRORS = 4;

  /** Words that frameworks put in front of the names of Kafka's clients. */
  private static final Set<String> FRAMEWORKS = Set.of("admin", "client", "clients", "config", "configuration",
      "connect", "consumer", "default", "kafka", "override", "producer", "properties", "quarkus", "spring", "stream",
      "streams");

  private NearestName() {}

  /**
   * Returns the known name behind a framework's words, or the one with the most similar spelling; null if none is near.
   */
  static @Nullable String of(String unknown, Collection<String> known) {
    String plain = letters(unknown);
    int bound = Math.min(1 + plain.length() / CHARACTERS_PER_ERROR, MOST_ERRORS);
    String nearest = null;
    int least = bound + 1;
    String ending = null;
    for (String name : known) {
      int distance = distance(plain, letters(name));
      if (distance < least) {
        least = distance;
        nearest = name;
      }
      if (unknown.endsWith("." + name) && isOfFramework(unknown.substring(0, unknown.length() - name.length() - 1))
          && (ending == null || name.length() > ending.length())) {
        ending = name;
      }
    }
    return nearest == null ? ending : nearest;
  }

  private static boolean isOfFramework(String before) {
    return Arrays.stream(before.split("[.]")).allMatch(FRAMEWORKS::contains);
  }

  private static String letters(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }

  /** Returns the number of characters to insert, to delete, to replace, or to swap with the next one. */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        d[i][j] = i == 0 || j == 0 ? i + j : step(d, a, b, i, j);
      }
    }
    return d[a.length()][b.length()];
  }

  private static int step(int[][] d, String a, String b, int i, int j) {
    boolean same = a.charAt(i - 1) == b.charAt(j - 1);
    int best = Math.min(d[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(d[i - 1][j], d[i][j - 1]));
    boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
  }
}

package dev.decant.lab.scenario;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Finds the known name that a user may have meant by an unknown one. */
final class Nearest {
  /** Most letters that may be wrong, in a name of at least three times that length. */
  private static final int MOST_WRONG = 3;

  private Nearest() {}

  /** Returns {@code ", did you mean NAME?"} for the nearest name; empty if no name is near. */
  static String to(String unknown, Collection<String> names, Collection<String> more) {
    List<String> near = Stream.concat(names.stream(), more.stream())
        .filter(name -> distance(unknown, name) <= Math.min(MOST_WRONG, name.length() / 3))
        .sorted(Comparator.comparingInt((String name) -> distance(unknown, name)).thenComparing(name -> name)).toList();
    return near.isEmpty() ? "" : ", did you mean " + near.getFirst() + "?";
  }

  /** Returns the number of letters to insert, remove or change that turn one word into another. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int above = row[j];
        int change = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
        diagonal = above;
      }
    }
    return row[to.length()];
  }
}

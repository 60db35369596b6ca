package dev.decant.fix.dictionary;

import java.util.ArrayList;
import java.util.List;

/**
 * The problems of a dictionary's file: errors, and mistakes that a lenient loader accepts. A strict loader counts these
 * as errors. All are counted, and the first ones are kept as text.
 */
final class DictionaryProblems {
  /** Limit of the texts for one file: a hostile one could have a million mistakes. */
  static final int MOST_LISTED = 100;

  private final String file;
  private final boolean isStrict;
  private final List<String> errors = new ArrayList<>();
  private final List<String> letPass = new ArrayList<>();
  /** Number of errors, those without a text included. */
  private int errorCount;
  /** Number of mistakes that a lenient loader accepts, those without a text included. */
  private int letPassCount;

  DictionaryProblems(String file, boolean isStrict) {
    this.file = file;
    this.isStrict = isStrict;
  }

  String file() {
    return file;
  }

  boolean isStrict() {
    return isStrict;
  }

  /** Notes a mistake, with its consequence if it is accepted. */
  void letPass(XmlElement element, String problemAndRemedy, String consequence) {
    if (isStrict) {
      error(element, problemAndRemedy);
      return;
    }
    if (letPassCount++ < MOST_LISTED) {
      letPass.add(element.place() + ": " + problemAndRemedy + " (" + consequence + ")");
    }
  }

  /** Notes an error that prevents the use of the dictionary. */
  void error(XmlElement element, String problemAndRemedy) {
    if (errorCount++ < MOST_LISTED) {
      errors.add(element.place() + ": " + problemAndRemedy);
    }
  }

  /** Throws all errors, if there are any. */
  void check() {
    if (errorCount == 1 && letPassCount == 0) {
      throw new DictionaryException(file + ", " + errors.get(0), errors);
    }
    if (errorCount > 0) {
      List<String> all = new ArrayList<>(listed(errors, errorCount));
      letPass.forEach(text -> all.add("could be let pass: " + text));
      addMore(all, letPass, letPassCount);
      throw new DictionaryException(file + " has " + (errorCount + letPassCount) + " mistakes:\n  "
          + String.join("\n  ", all), all);
    }
  }

  /** Returns the mistakes that were accepted. */
  List<String> letPass() {
    return List.copyOf(listed(letPass, letPassCount));
  }

  private static List<String> listed(List<String> texts, int count) {
    List<String> all = new ArrayList<>(texts);
    addMore(all, texts, count);
    return all;
  }

  private static void addMore(List<String> all, List<String> texts, int count) {
    if (count > texts.size()) {
      all.add("and " + (count - texts.size()) + " more");
    }
  }
}

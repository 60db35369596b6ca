package dev.decant.fix.dictionary;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An element of a dictionary's file, with its place for errors. */
record XmlElement(String file, int line, String tag, Map<String, String> attributes, List<XmlElement> children) {

  /** The longest word of a file that an error repeats, in characters. */
  private static final int LONGEST_WORD = 80;

  /** Returns the value of an attribute; null if it is missing or blank. */
  @Nullable
  String value(String attribute) {
    String value = attributes.get(attribute);
    return value == null || value.isBlank() ? null : value;
  }

  String attribute(String attribute, String ifAbsent) {
    return attributes.getOrDefault(attribute, ifAbsent);
  }

  /** Returns the first child with a name; null if there is none. */
  @Nullable
  XmlElement child(String name) {
    for (XmlElement child : children) {
      if (child.tag.equals(name)) {
        return child;
      }
    }
    return null;
  }

  DictionaryException error(String problemAndRemedy) {
    return new DictionaryException(file + ", " + place() + ": " + problemAndRemedy);
  }

  /** Returns the line and the element, for errors. */
  String place() {
    return "line " + line + ", " + this;
  }

  /** Makes a word of the file safe for errors: limited, and without line ends and control sequences. */
  static String shown(String word) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < Math.min(LONGEST_WORD, word.length()); i++) {
      char c = word.charAt(i);
      shown.append(c >= ' ' && c <= '~' ? c : '?');
    }
    return word.length() > LONGEST_WORD ? shown.append("...").toString() : shown.toString();
  }

  /** Returns the element's tag with its name or value, for errors. */
  @Override
  public String toString() {
    for (String attribute : new String[] {"name", "enum"}) {
      String value = attributes.get(attribute);
      if (value != null) {
        return "<" + shown(tag) + " " + attribute + "='" + shown(value) + "'>";
      }
    }
    return "<" + shown(tag) + ">";
  }
}

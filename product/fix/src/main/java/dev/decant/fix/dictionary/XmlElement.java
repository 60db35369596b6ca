package dev.decant.fix.dictionary;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An element of a dictionary's file, with the place to name in errors. */
record XmlElement(String file, int line, String tag, Map<String, String> attributes, List<XmlElement> children) {

  /** The value of an attribute that the element must have. */
  String require(String attribute) {
    String value = attributes.get(attribute);
    if (value == null || value.isBlank()) {
      throw error("attribute '" + attribute + "' is missing; add it");
    }
    return value;
  }

  String attribute(String attribute, String ifAbsent) {
    return attributes.getOrDefault(attribute, ifAbsent);
  }

  /** The value of {@code required}, Y or N; dictionaries in use leave it out for N. */
  boolean isRequired() {
    String value = attribute("required", "N");
    if (value.equalsIgnoreCase("Y")) {
      return true;
    }
    if (value.equalsIgnoreCase("N")) {
      return false;
    }
    throw error("required is '" + value + "'; make it Y or N");
  }

  /** A number that is not negative. */
  int number(String attribute, String value) {
    try {
      int number = Integer.parseInt(value);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // told below, as for a negative number
    }
    throw error(attribute + " is '" + value + "'; make it a whole number");
  }

  /** The first child of a name; null if there is none. */
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
    return new DictionaryException(file + ", line " + line + ", " + this + ": " + problemAndRemedy);
  }

  /** The element's tag with its name or value, for errors. */
  @Override
  public String toString() {
    for (String attribute : new String[] {"name", "enum"}) {
      String value = attributes.get(attribute);
      if (value != null) {
        return "<" + tag + " " + attribute + "='" + value + "'>";
      }
    }
    return "<" + tag + ">";
  }
}

package dev.decant.fix.dictionary;

import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The fields that a dictionary defines, in the form of its file. */
final class FieldList {
  private static final int MAX_TAG = 99_999_999;
  private static final String LEFT_OUT = "it is left out";
  private static final int MAX_TYPE_CHARACTERS = 4;

  /** The fields by tag, in the order of the file. */
  final Map<Integer, FieldDefinition> byTag = new LinkedHashMap<>();
  /** The types that MsgType(35) lists. */
  final Set<Integer> knownTypes = new TreeSet<>();
  private final Map<String, FieldDefinition> byName = new HashMap<>();
  private final DictionaryProblems problems;
  /** True if values of type CHAR may have several characters. */
  private final boolean charactersAreTexts;

  FieldList(DictionaryProblems problems, boolean charactersAreTexts) {
    this.problems = problems;
    this.charactersAreTexts = charactersAreTexts;
  }

  /** Returns the field with a name; null if there is none. */
  @Nullable
  FieldDefinition find(String name) {
    return byName.get(name);
  }

  /** Parses a whole number that is not negative; -1 for another text. */
  static int number(String word) {
    try {
      return Math.max(-1, Integer.parseInt(word.strip()));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Returns true if a text can be a MsgType(35). */
  static boolean isType(String word) {
    return word.length() <= MAX_TYPE_CHARACTERS && !word.isEmpty() && word.chars().allMatch(c -> c > ' ' && c <= '~');
  }

  void add(XmlElement element) {
    if (!element.tag().equals("field")) {
      problems.letPass(element, "only <field> can stand here; correct or remove it", LEFT_OUT);
      return;
    }
    String name = element.value("name");
    String number = element.value("number");
    if (name == null || number == null) {
      problems.letPass(element, "attribute '" + (name == null ? "name" : "number") + "' is missing; add it", LEFT_OUT);
      return;
    }
    int tag = number(number);
    if (tag < 1 || tag > MAX_TAG) {
      problems.letPass(element, tag < 0
          ? "number is '" + XmlElement.shown(number) + "'; make it a whole number"
          : "number is " + tag + "; make it one from 1 to " + MAX_TAG, LEFT_OUT);
      return;
    }
    add(element, definition(element, tag, name));
  }

  private void add(XmlElement element, FieldDefinition field) {
    FieldDefinition ofTag = byTag.get(field.tag());
    FieldDefinition ofName = byName.get(field.name());
    if (ofName != null) {
      problems.letPass(element, "the name is given twice in <fields>; rename or remove one",
          ofName.tag() == field.tag() ? "the first one counts" : "it stands for field " + ofName.tag());
    } else if (ofTag != null) {
      problems.letPass(element, "number " + field.tag() + " is that of field '" + XmlElement.shown(ofTag.name())
          + "' too; correct one", "both names stand for it, and the first one's definition counts");
    }
    byTag.putIfAbsent(field.tag(), field);
    byName.putIfAbsent(field.name(), ofTag == null ? field : ofTag);
  }

  private FieldDefinition definition(XmlElement element, int tag, String name) {
    String type = type(element);
    ValueFormat format = ValueFormat.of(type);
    if (format == null || (format == ValueFormat.CHARACTER && charactersAreTexts)) {
      format = ValueFormat.TEXT;
    }
    Set<String> values = new TreeSet<>();
    boolean isOpen = addValues(element, values) || Boolean.parseBoolean(element.attribute("allowOtherValues", "false"));
    if (tag == Tag.MSG_TYPE) {
      values.stream().filter(FieldList::isType).forEach(value -> knownTypes.add(MsgType.key(value)));
    }
    boolean any = isOpen || tag == Tag.MSG_TYPE || values.isEmpty();
    return new FieldDefinition(tag, name, type, format, any ? null : new ValueSet(values, format.isMultiple()));
  }

  private String type(XmlElement element) {
    String word = element.value("type");
    if (word == null) {
      problems.letPass(element, "attribute 'type' is missing; add it", "it is taken for STRING");
      return "STRING";
    }
    String type = ValueFormat.normal(word);
    if (ValueFormat.of(type) == null) {
      String likelyType = ValueFormat.likelyType(type);
      String taken = likelyType == null ? "STRING" : likelyType;
      problems.letPass(element, "type '" + XmlElement.shown(word) + "' is unknown; use "
          + (likelyType == null ? "one of " + ValueFormat.types() : likelyType), "it is taken for " + taken);
      return taken;
    }
    if (!word.equals(word.strip())) {
      problems.letPass(element, "type '" + XmlElement.shown(word) + "' has blanks around it; remove them",
          "they do not count");
    }
    return type;
  }

  /** Adds the values that a field lists. Returns true if it accepts others, too. */
  private boolean addValues(XmlElement field, Set<String> values) {
    boolean isOpen = false;
    for (XmlElement value : field.children()) {
      String listed = value.attribute("enum", "");
      if (!value.tag().equals("value")) {
        problems.letPass(value, "only <value> can stand here; correct or remove it", LEFT_OUT);
      } else if (value.value("range") != null) {
        problems.letPass(value, "a range of values is no list; remove it", "the field takes any value");
        isOpen = true;
      } else if (listed.isBlank()) {
        problems.letPass(value, "attribute 'enum' is missing; add it", LEFT_OUT);
      } else {
        values.add(listed);
      }
    }
    return isOpen;
  }
}

package dev.decant.fix.dictionary;

import dev.decant.fix.dictionary.MemberTable.Member;
import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the elements of a dictionary into tables. Components disappear: their members take their place. Each
 * component and each group is expanded once, and the members of all tables are counted, so a small file cannot become a
 * large dictionary.
 *
 * <p>A mistake is noted, and the element at fault is then treated as right or as missing. So all mistakes of a file are
 * found at once. Only limits end the work early.
 */
final class DictionaryCompiler {
  private static final int MAX_COMPONENT_DEPTH = 64;
  /**
   * Limit of the members of all tables together. Each place that names a component has a copy of its members, so the
   * tables may grow with the square of the file. One of 700 kB once took all memory. The largest dictionary of the
   * specification has less than a tenth of this limit.
   */
  private static final int MAX_MEMBERS = 1_000_000;
  private static final String LEFT_OUT = "it is left out";
  private static final String FIRST_COUNTS = "the first one counts";

  /** A message that the dictionary defines. */
  record Message(String name, MemberTable body) {}

  final String beginString;
  final String version;
  final Map<Integer, FieldDefinition> fieldsByTag;
  final Map<Integer, Message> messages = new TreeMap<>();
  /** The types of messages, and those that MsgType(35) lists. */
  final Set<Integer> knownTypes;
  /** Data fields by their length fields. */
  final Map<Integer, Integer> dataTags = new TreeMap<>();
  final @Nullable MemberTable header;
  final @Nullable MemberTable trailer;

  private final DictionaryProblems problems;
  private final FieldList fields;
  private final Map<String, XmlElement> components = new HashMap<>();
  private final Map<String, List<Member>> expandedComponents = new HashMap<>();
  private final IdentityHashMap<XmlElement, MemberTable> groups = new IdentityHashMap<>();
  /** Data fields without a length field. Each is reported once. */
  private final Set<Integer> withoutLength = new HashSet<>();
  /** The components that are being expanded; the innermost is the last. */
  private final Deque<String> path = new ArrayDeque<>();
  /** Number of members of all messages, groups and components so far. */
  private int memberCount;

  DictionaryCompiler(XmlElement root, DictionaryProblems problems) {
    this.problems = problems;
    if (!root.tag().equals("fix")) {
      throw root.error("a dictionary begins with <fix>; make that the outermost element");
    }
    String major = root.value("major");
    if (major == null) {
      problems.error(root, "attribute 'major' is missing; add it");
      major = "4";
    }
    int minor = number(root, "minor");
    int servicePack = number(root, "servicepack");
    String type = root.attribute("type", "FIX");
    boolean numbered = major.chars().allMatch(Character::isDigit);
    beginString = type + "." + major + (numbered ? "." + minor : "");
    version = servicePack == 0 ? beginString : beginString + "SP" + servicePack;
    fields = new FieldList(problems, beginString.equals("FIX.4.0") || beginString.equals("FIX.4.1"));
    fieldsByTag = fields.byTag;
    knownTypes = fields.knownTypes;
    for (XmlElement field : section(root, "fields")) {
      fields.add(field);
    }
    XmlElement componentsSection = root.child("components");
    if (componentsSection != null) {
      componentsSection.children().forEach(this::addComponent);
    }
    header = frame(root, "header");
    trailer = frame(root, "trailer");
    if ((header == null) != (trailer == null)) {
      problems.error(root, "the dictionary has fields in only one of <header> and <trailer>; fill both or none");
    }
    section(root, "messages").forEach(this::addMessage);
  }

  private int number(XmlElement root, String attribute) {
    String value = root.attribute(attribute, "0");
    int number = FieldList.number(value);
    if (number < 0) {
      problems.error(root, attribute + " is '" + XmlElement.shown(value) + "'; make it a whole number");
    }
    return Math.max(0, number);
  }

  private List<XmlElement> section(XmlElement root, String name) {
    XmlElement section = root.child(name);
    if (section == null || section.children().isEmpty()) {
      problems.error(root, "there is no <" + name + ">, or it is empty; add it");
      return List.of();
    }
    return section.children();
  }

  private @Nullable MemberTable frame(XmlElement root, String name) {
    XmlElement element = root.child(name);
    MemberTable table = element == null || element.children().isEmpty() ? null : table(element);
    return table == null || table.tags.length == 0 ? null : table;
  }

  private void addComponent(XmlElement element) {
    String name = element.value("name");
    if (!element.tag().equals("component")) {
      problems.letPass(element, "only <component> can stand here; correct or remove it", LEFT_OUT);
    } else if (name == null) {
      problems.letPass(element, "attribute 'name' is missing; add it", LEFT_OUT);
    } else if (components.putIfAbsent(name, element) != null) {
      problems.letPass(element, "the component is defined twice; rename or remove one", FIRST_COUNTS);
    }
  }

  private void addMessage(XmlElement element) {
    if (!element.tag().equals("message")) {
      problems.letPass(element, "only <message> can stand here; correct or remove it", LEFT_OUT);
      return;
    }
    String type = element.value("msgtype");
    String name = element.value("name");
    if (name == null) {
      problems.letPass(element, "attribute 'name' is missing; add it", "msgtype is its name");
      name = type == null ? "" : type;
    }
    if (type == null) {
      problems.letPass(element, "attribute 'msgtype' is missing; add it", LEFT_OUT);
      return;
    }
    if (!FieldList.isType(type)) {
      problems.letPass(element, "msgtype is '" + XmlElement.shown(type) + "'; make it 1 to 4 printable characters",
          "messages of this type are unknown: allowUnknownMessages lets them through");
      return;
    }
    int key = MsgType.key(type);
    knownTypes.add(key);
    Message other = messages.get(key);
    Message message = new Message(name, table(element));
    if (other == null) {
      messages.put(key, message);
    } else {
      problems.letPass(element, "msgtype '" + type + "' is that of message '" + XmlElement.shown(other.name())
          + "' too; correct one", FIRST_COUNTS);
    }
  }

  private MemberTable table(XmlElement element) {
    List<Member> members = expand(element);
    for (int i = 0; i < members.size(); i++) {
      FieldDefinition field = members.get(i).field();
      if (field.isData()) {
        addDataField(element, field, i == 0 ? null : members.get(i - 1).field());
      }
    }
    MemberTable table = new MemberTable(members);
    if (table.groupDepth > MemberTable.MAX_GROUP_DEPTH) {
      throw element.error("groups are nested deeper than " + MemberTable.MAX_GROUP_DEPTH + "; make them flatter");
    }
    return table;
  }

  /** Returns the members of an element in order. No field appears twice. */
  private List<Member> expand(XmlElement scope) {
    Map<Integer, Member> members = new LinkedHashMap<>();
    for (XmlElement child : scope.children()) {
      if (child.value("name") == null) {
        problems.letPass(child, "attribute 'name' is missing; add it", LEFT_OUT);
        continue;
      }
      switch (child.tag()) {
        case "field" -> addField(members, scope, child, null);
        case "group" -> addField(members, scope, child, group(child));
        case "component" -> {
          boolean required = isRequired(child);
          for (Member member : component(child)) {
            boolean both = required && member.required();
            add(members, scope, new Member(member.field(), both, member.group()));
          }
        }
        default -> problems.letPass(child,
            "only <field>, <group> and <component> can stand here; correct or remove it", LEFT_OUT);
      }
    }
    return List.copyOf(members.values());
  }

  /** Returns the value of {@code required}, Y or N. Dictionaries in use omit it for N. */
  private boolean isRequired(XmlElement element) {
    String value = element.attribute("required", "N").strip();
    if (!value.equalsIgnoreCase("Y") && !value.equalsIgnoreCase("N")) {
      problems.letPass(element, "required is '" + XmlElement.shown(value) + "'; make it Y or N", "it is not required");
    }
    return value.equalsIgnoreCase("Y");
  }

  private void addField(Map<Integer, Member> members, XmlElement scope, XmlElement use, @Nullable MemberTable group) {
    boolean required = isRequired(use);
    FieldDefinition field = fields.find(use.attribute("name", ""));
    if (field == null) {
      problems.letPass(use, "the field is not in <fields>; add it there or correct the name", LEFT_OUT);
    } else {
      add(members, scope, new Member(field, required, group));
    }
  }

  /**
   * Adds a member. A field that is listed twice has its first place. It is required, or leads a group, if one of the
   * two does.
   */
  private void add(Map<Integer, Member> members, XmlElement scope, Member member) {
    if (++memberCount > MAX_MEMBERS) {
      throw scope.error("messages, groups and components have more than " + MAX_MEMBERS
          + " members, those of a component counted wherever it stands; remove messages or make components smaller");
    }
    Member first = members.putIfAbsent(member.field().tag(), member);
    if (first != null) {
      problems.letPass(scope, "field '" + XmlElement.shown(member.field().name())
          + "' is listed twice, by itself or by components; remove one", "its first place counts");
      members.put(member.field().tag(), new Member(first.field(), first.required() || member.required(),
          first.group() != null ? first.group() : member.group()));
    }
  }

  /** Returns the members of a group's entry; null for a group without any. */
  private @Nullable MemberTable group(XmlElement element) {
    MemberTable known = groups.get(element);
    if (known != null) {
      return known;
    }
    MemberTable table = table(element);
    if (table.tags.length == 0) {
      problems.letPass(element, "the group has no members; add the fields of an entry, its first field first",
          "it is a field without entries");
      return null;
    }
    groups.put(element, table);
    return table;
  }

  private List<Member> component(XmlElement use) {
    String name = use.attribute("name", "");
    List<Member> known = expandedComponents.get(name);
    if (known != null) {
      return known;
    }
    XmlElement definition = components.get(name);
    if (definition == null) {
      problems.letPass(use, "the component is not in <components>; add it there or correct the name", LEFT_OUT);
      return List.of();
    }
    if (path.contains(name)) {
      problems.error(use, "the component contains itself (" + XmlElement.shown(String.join(" > ", path) + " > " + name)
          + "); break the ring");
      return List.of();
    }
    if (path.size() == MAX_COMPONENT_DEPTH) {
      throw use.error("components are nested deeper than " + MAX_COMPONENT_DEPTH + "; make them flatter");
    }
    path.addLast(name);
    List<Member> members = expand(definition);
    path.removeLast();
    expandedComponents.put(name, members);
    return members;
  }

  /** Finds the length field of a data field: by its name, before the data field, or by its number. */
  private void addDataField(XmlElement scope, FieldDefinition data, @Nullable FieldDefinition before) {
    FieldDefinition length = lengthByName(data);
    if (length == null && before != null && before.isLength()) {
      length = before;
    }
    int standardTag = DataFields.standard().lengthTag(data.tag());
    for (int tag : new int[] {standardTag, data.tag() - 1}) {
      FieldDefinition neighbour = fieldsByTag.get(tag);
      if (length == null && neighbour != null && neighbour.mayBeLength()) {
        length = neighbour;
      }
    }
    if (length != null) {
      dataTags.putIfAbsent(length.tag(), data.tag());
    } else if (withoutLength.add(data.tag())) {
      String name = lengthName(data) + (standardTag == 0 ? "" : "(" + standardTag + ")");
      problems.letPass(scope, "DATA field '" + XmlElement.shown(data.name()) + "' has no LENGTH field before it; add '"
          + XmlElement.shown(name) + "' or make the type STRING",
          standardTag == 0 ? "its value cannot have the delimiter" : "the length is in field " + standardTag);
    }
  }

  /** Returns the name of the length field in the specification, or by its naming rule. */
  private static String lengthName(FieldDefinition data) {
    boolean isLong = data.tag() == Tag.RAW_DATA || data.tag() == Tag.SIGNATURE;
    return data.name() + (isLong ? "Length" : "Len");
  }

  private @Nullable FieldDefinition lengthByName(FieldDefinition data) {
    for (String suffix : new String[] {"Len", "Length"}) {
      FieldDefinition field = fields.find(data.name() + suffix);
      if (field != null && field.mayBeLength()) {
        return field;
      }
    }
    return null;
  }
}

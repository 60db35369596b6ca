package dev.decant.fix.dictionary;

import dev.decant.fix.dictionary.MemberTable.Member;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes tables of a dictionary's elements. Components disappear: their members stand where they were named. Each
 * component and each group is expanded once, and the members of all tables are counted, so a small file cannot become a
 * large dictionary.
 */
final class DictionaryCompiler {
  private static final int MAX_TAG = 99_999_999;
  private static final int MAX_COMPONENT_DEPTH = 64;
  /**
   * Bounds the members of all tables together. The tables have their own copy of a component's members for each place
   * that names it, so their size may grow with the square of the file's. The largest dictionary of the specification
   * has less than a tenth of this.
   */
  private static final int MAX_MEMBERS = 1_000_000;

  /** A message as the dictionary defines it. */
  record Message(String name, MemberTable body) {}

  final String beginString;
  final String version;
  final Map<String, FieldDefinition> fields = new LinkedHashMap<>();
  final Map<Integer, Message> messages = new TreeMap<>();
  /** Types of messages, and types that MsgType(35) lists. */
  final TreeSet<Integer> knownTypes = new TreeSet<>();
  /** Data fields by the length fields before them. */
  final Map<Integer, Integer> dataTags = new TreeMap<>();
  final @Nullable MemberTable header;
  final @Nullable MemberTable trailer;

  private final boolean charactersAreTexts;
  private final Map<Integer, FieldDefinition> fieldsByTag = new HashMap<>();
  private final Map<String, XmlElement> components = new HashMap<>();
  private final Map<String, List<Member>> expandedComponents = new HashMap<>();
  private final IdentityHashMap<XmlElement, MemberTable> groups = new IdentityHashMap<>();
  /** The components that are being expanded, the innermost last. */
  private final Deque<String> path = new ArrayDeque<>();
  /** Members of messages, groups and components so far. */
  private int memberCount;

  DictionaryCompiler(XmlElement root) {
    if (!root.tag().equals("fix")) {
      throw root.error("a dictionary begins with <fix>; make that the outermost element");
    }
    String major = root.require("major");
    int minor = root.number("minor", root.attribute("minor", "0"));
    int servicePack = root.number("servicepack", root.attribute("servicepack", "0"));
    String type = root.attribute("type", "FIX");
    boolean numbered = major.chars().allMatch(Character::isDigit);
    beginString = type + "." + major + (numbered ? "." + minor : "");
    version = servicePack == 0 ? beginString : beginString + "SP" + servicePack;
    charactersAreTexts = beginString.equals("FIX.4.0") || beginString.equals("FIX.4.1");
    for (XmlElement field : section(root, "fields").children()) {
      addField(field);
    }
    XmlElement componentsSection = root.child("components");
    if (componentsSection != null) {
      componentsSection.children().forEach(this::addComponent);
    }
    header = frame(root, "header");
    trailer = frame(root, "trailer");
    if ((header == null) != (trailer == null)) {
      throw root.error("the dictionary has fields in only one of <header> and <trailer>; fill both or none");
    }
    section(root, "messages").children().forEach(this::addMessage);
  }

  private static XmlElement section(XmlElement root, String name) {
    XmlElement section = root.child(name);
    if (section == null || section.children().isEmpty()) {
      throw root.error("there is no <" + name + ">, or it is empty; add it");
    }
    return section;
  }

  private @Nullable MemberTable frame(XmlElement root, String name) {
    XmlElement element = root.child(name);
    return element == null || element.children().isEmpty() ? null : table(element);
  }

  private void addField(XmlElement element) {
    checkTag(element, "field");
    String name = element.require("name");
    int tag = element.number("number", element.require("number"));
    if (tag < 1 || tag > MAX_TAG) {
      throw element.error("number is " + tag + "; make it one from 1 to " + MAX_TAG);
    }
    String type = ValueFormat.normal(element.require("type"));
    ValueFormat format = ValueFormat.of(type);
    if (format == null) {
      throw element.error("type '" + element.require("type") + "' is unknown; use one of " + ValueFormat.types());
    }
    if (format == ValueFormat.CHARACTER && charactersAreTexts) {
      format = ValueFormat.TEXT;
    }
    Collection<String> values = values(element);
    if (tag == Tag.MSG_TYPE) {
      addKnownTypes(values);
    }
    boolean open = tag == Tag.MSG_TYPE || values.isEmpty()
        || Boolean.parseBoolean(element.attribute("allowOtherValues", "false"));
    FieldDefinition field = new FieldDefinition(tag, name, type, format,
        open ? null : new ValueSet(values, format.isMultiple()));
    if (fields.put(name, field) != null) {
      throw element.error("the name is given twice in <fields>; rename or remove one");
    }
    FieldDefinition other = fieldsByTag.put(tag, field);
    if (other != null) {
      throw element.error("number " + tag + " is that of field '" + other.name() + "' too; correct one");
    }
  }

  private static Collection<String> values(XmlElement field) {
    TreeSet<String> values = new TreeSet<>();
    for (XmlElement value : field.children()) {
      checkTag(value, "value");
      values.add(value.require("enum"));
    }
    return values;
  }

  private void addKnownTypes(Collection<String> values) {
    for (String value : values) {
      if (value.matches("[!-~]{1,4}")) {
        knownTypes.add(MsgType.key(value));
      }
    }
  }

  private static void checkTag(XmlElement element, String wanted) {
    if (!element.tag().equals(wanted)) {
      throw element.error("only <" + wanted + "> can stand here; correct or remove it");
    }
  }

  private void addComponent(XmlElement element) {
    checkTag(element, "component");
    if (components.put(element.require("name"), element) != null) {
      throw element.error("the component is defined twice; rename or remove one");
    }
  }

  private void addMessage(XmlElement element) {
    checkTag(element, "message");
    String name = element.require("name");
    String type = element.require("msgtype");
    int key;
    try {
      key = MsgType.key(type);
    } catch (IllegalArgumentException e) {
      throw element.error("msgtype is '" + type + "'; make it 1 to 4 printable characters");
    }
    knownTypes.add(key);
    Message other = messages.put(key, new Message(name, table(element)));
    if (other != null) {
      throw element.error("msgtype '" + type + "' is that of message '" + other.name() + "' too; correct one");
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

  /** The members in their order; no field appears twice. */
  private List<Member> expand(XmlElement scope) {
    Map<Integer, Member> members = new LinkedHashMap<>();
    for (XmlElement child : scope.children()) {
      switch (child.tag()) {
        case "field" -> add(members, scope, new Member(field(child), child.isRequired(), null));
        case "group" -> add(members, scope, new Member(field(child), child.isRequired(), group(child)));
        case "component" -> {
          boolean required = child.isRequired();
          for (Member member : component(child)) {
            boolean both = required && member.required();
            add(members, scope, new Member(member.field(), both, member.group()));
          }
        }
        default -> throw child.error("only <field>, <group> and <component> can stand here; correct or remove it");
      }
    }
    return List.copyOf(members.values());
  }

  private void add(Map<Integer, Member> members, XmlElement scope, Member member) {
    if (++memberCount > MAX_MEMBERS) {
      throw scope.error("messages, groups and components have more than " + MAX_MEMBERS
          + " members, those of a component counted wherever it stands; remove messages or make components smaller");
    }
    if (members.put(member.field().tag(), member) != null) {
      throw scope
          .error("field '" + member.field().name() + "' is listed twice, by itself or by components; remove one");
    }
  }

  private FieldDefinition field(XmlElement element) {
    FieldDefinition field = fields.get(element.require("name"));
    if (field == null) {
      throw element.error("the field is not in <fields>; add it there or correct the name");
    }
    return field;
  }

  private MemberTable group(XmlElement element) {
    MemberTable known = groups.get(element);
    if (known != null) {
      return known;
    }
    if (element.children().isEmpty()) {
      throw element.error("the group has no members; add the fields of an entry, its first field first");
    }
    MemberTable table = table(element);
    if (table.tags.length == 0) {
      throw element.error("the components of the group have no members; add the fields of an entry");
    }
    groups.put(element, table);
    return table;
  }

  private List<Member> component(XmlElement use) {
    String name = use.require("name");
    List<Member> known = expandedComponents.get(name);
    if (known != null) {
      return known;
    }
    XmlElement definition = components.get(name);
    if (definition == null) {
      throw use.error("the component is not in <components>; add it there or correct the name");
    }
    if (path.contains(name)) {
      throw use
          .error("the component contains itself (" + String.join(" > ", path) + " > " + name + "); break the ring");
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
    if (length == null) {
      FieldDefinition neighbour = fieldsByTag.get(data.tag() - 1);
      length = neighbour != null && neighbour.mayBeLength() ? neighbour : null;
    }
    if (length == null) {
      throw scope.error("DATA field '" + data.name() + "' has no LENGTH field before it; add '" + data.name()
          + "Len' or make the type STRING");
    }
    dataTags.putIfAbsent(length.tag(), data.tag());
  }

  private @Nullable FieldDefinition lengthByName(FieldDefinition data) {
    for (String suffix : new String[] {"Len", "Length"}) {
      FieldDefinition field = fields.get(data.name() + suffix);
      if (field != null && field.mayBeLength()) {
        return field;
      }
    }
    return null;
  }
}

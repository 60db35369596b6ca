package dev.decant.fix.dictionary;

import dev.decant.fix.message.MsgType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Generates random valid messages of a dictionary: required members, some optional ones, some entries of groups. */
final class RandomMessages {
  /** A field of a message. */
  record Field(int tag, String value) {}

  private static final int MOST_ENTRIES = 3;

  private final Dictionary transport;
  private final Dictionary application;
  private final Random random;
  private final List<XmlElement> messages = new ArrayList<>();
  private final Map<Integer, List<String>> values = new HashMap<>();
  private final List<Integer> tags = new ArrayList<>();

  RandomMessages(String transportResource, String applicationResource, Random random) {
    this.random = random;
    transport = Dictionary.loadResource(transportResource);
    application = Dictionary.loadResource(applicationResource);
    read(transportResource);
    if (!applicationResource.equals(transportResource)) {
      read(applicationResource);
    }
  }

  private void read(String resource) {
    XmlElement root;
    try (InputStream in = Thread.currentThread().getContextClassLoader().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource);
      }
      root = DictionaryXml.read(in, new DictionaryProblems(resource, true));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (XmlElement child : root.children()) {
      if (child.tag().equals("messages")) {
        messages.addAll(child.children());
      } else if (child.tag().equals("fields")) {
        for (XmlElement field : child.children()) {
          int tag = Integer.parseInt(field.attribute("number", ""));
          tags.add(tag);
          values.put(tag, field.children().stream().map(value -> value.attribute("enum", "")).toList());
        }
      }
    }
  }

  Dictionary transport() {
    return transport;
  }

  Dictionary application() {
    return application;
  }

  /** A tag that one of the dictionaries defines. */
  int tag() {
    return tags.get(random.nextInt(tags.size()));
  }

  /** Whether a tag belongs to the header or trailer. */
  boolean isOfFrame(int tag) {
    return Objects.requireNonNull(transport.header()).position(tag) >= 0
        || Objects.requireNonNull(transport.trailer()).position(tag) >= 0;
  }

  /** The fields of a message, MsgType(35) first, without the trailer. */
  List<Field> message() {
    XmlElement element = messages.get(random.nextInt(messages.size()));
    String msgType = element.attribute("msgtype", "");
    int key = MsgType.key(msgType);
    MemberTable body = transport.hasMessage(key) ? transport.body(key) : application.body(key);
    List<Field> fields = new ArrayList<>(List.of(new Field(35, msgType)));
    addMembers(Objects.requireNonNull(transport.header()), fields, true, 0.1);
    addMembers(Objects.requireNonNull(body), fields, false, 0.1);
    return fields;
  }

  private void addMembers(MemberTable table, List<Field> into, boolean isHeader, double chance) {
    for (int i = 0; i < table.tags.length; i++) {
      int tag = table.tags[i];
      boolean isFrame = isHeader && (tag == 8 || tag == 9 || tag == 35);
      boolean first = chance < 0 && i == 0;
      FieldDefinition field = field(tag);
      if (!isFrame && !isLength(field) && !field.isData()
          && (first || table.isRequired(i) || random.nextDouble() < Math.abs(chance))) {
        addMember(field, table.groups[i], into, chance);
      }
    }
  }

  private void addMember(FieldDefinition field, @Nullable MemberTable group, List<Field> into, double chance) {
    if (group == null) {
      into.add(new Field(field.tag(), value(field)));
      return;
    }
    // an entry is begun by its first field, even if that is not required
    boolean canBegin = !isLength(field(group.tags[0])) && !field(group.tags[0]).isData();
    int entries = canBegin ? random.nextInt(1 + MOST_ENTRIES) : 0;
    into.add(new Field(field.tag(), Integer.toString(entries)));
    for (int i = 0; i < entries; i++) {
      addMembers(group, into, false, -Math.abs(chance));
    }
  }

  private FieldDefinition field(int tag) {
    FieldDefinition field = application.field(tag);
    return Objects.requireNonNull(field == null ? transport.field(tag) : field);
  }

  private boolean isLength(FieldDefinition field) {
    return transport.dataFields().dataTag(field.tag()) != 0 || application.dataFields().dataTag(field.tag()) != 0;
  }

  private String value(FieldDefinition field) {
    List<String> listed = values.getOrDefault(field.tag(), List.of());
    if (!listed.isEmpty()) {
      String one = listed.get(random.nextInt(listed.size()));
      return field.format().isMultiple() && random.nextBoolean() ? one + " " + listed.getFirst() : one;
    }
    return switch (field.format()) {
      case TEXT, TEXTS -> Integer.toString(random.nextInt(1_000_000), 36);
      case INTEGER, UNSIGNED -> Integer.toString(random.nextInt(1_000));
      case DECIMAL -> random.nextInt(1_000) + "." + random.nextInt(100);
      case CHARACTER, CHARACTERS -> String.valueOf((char) ('A' + random.nextInt(26)));
      case BOOLEAN -> random.nextBoolean() ? "Y" : "N";
      case TIMESTAMP -> TestMessages.TIME;
      case DATE -> "20240229";
      case TIME -> "12:30:45";
      case MONTH_YEAR -> "202402";
      case DAY_OF_MONTH -> "29";
      case ZONED_TIME -> "12:30Z";
      case ZONED_TIMESTAMP -> "20240229-12:30Z";
      case TWO_CHARACTERS -> "DE";
    };
  }

  static String text(List<Field> fields) {
    StringBuilder text = new StringBuilder();
    for (Field field : fields) {
      text.append(field.tag()).append('=').append(field.value()).append('|');
    }
    return text.toString();
  }
}

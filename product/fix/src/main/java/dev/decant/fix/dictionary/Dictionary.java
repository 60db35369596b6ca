package dev.decant.fix.dictionary;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MsgType;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The fields and messages of a version of FIX, or of another protocol, from a file in QuickFIX's XML format. Immutable:
 * any number of sessions and threads share one.
 *
 * <p>Files may be hostile. A file must not have a document type declaration, more than 64 MiB, or elements nested
 * deeper than 64 levels. Its messages and components have at most 1,000,000 members together. FIX.5.0 and later have
 * two dictionaries: one of the transport, FIXT.1.1, with header, trailer and session messages; and one of the
 * application.
 */
public final class Dictionary {
  /** Numbers dictionaries in the order of their loading. */
  private static final AtomicLong LOADED = new AtomicLong();

  private final String name;
  private final @Nullable Path file;
  private final List<String> warnings;
  private final long order;
  private final String beginString;
  private final String version;
  private final FieldDefinition[] fields;
  private final TagTable fieldIndexes;
  private final DictionaryCompiler.Message[] messages;
  private final TagTable messageIndexes;
  private final TagTable knownTypes;
  private final DataFields dataFields;
  private final @Nullable MemberTable header;
  private final @Nullable MemberTable trailer;

  Dictionary(DictionaryCompiler compiled, String name, @Nullable Path file, List<String> warnings) {
    this.name = name;
    this.file = file;
    this.warnings = warnings;
    this.order = LOADED.incrementAndGet();
    beginString = compiled.beginString;
    version = compiled.version;
    fields = compiled.fieldsByTag.values().toArray(FieldDefinition[]::new);
    int[] tags = new int[fields.length];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = fields[i].tag();
    }
    fieldIndexes = TagTable.ofIndexes(tags);
    messages = compiled.messages.values().toArray(DictionaryCompiler.Message[]::new);
    messageIndexes = TagTable.ofIndexes(compiled.messages.keySet().stream().mapToInt(Integer::intValue).toArray());
    knownTypes = TagTable.ofIndexes(compiled.knownTypes.stream().mapToInt(Integer::intValue).toArray());
    dataFields = DataFields.standardWith(compiled.dataTags.entrySet().stream()
        .map(pair -> new int[] {pair.getKey(), pair.getValue()}).toArray(int[][]::new));
    header = compiled.header;
    trailer = compiled.trailer;
  }

  /**
   * Loads a file by a {@link DictionaryLoader#lenient() lenient} loader.
   *
   * @param file in QuickFIX's XML format
   * @return the dictionary
   * @throws DictionaryException if the file cannot be read, or is no dictionary; the message lists all mistakes
   */
  public static Dictionary load(Path file) {
    return DictionaryLoader.lenient().load(file);
  }

  /**
   * Loads a stream by a {@link DictionaryLoader#lenient() lenient} loader.
   *
   * @param in in QuickFIX's XML format; it is read to its end and not closed
   * @param name the name of the source, for errors
   * @return the dictionary
   * @throws DictionaryException if the stream cannot be read, or is no dictionary; the message lists all mistakes
   */
  public static Dictionary load(InputStream in, String name) {
    return DictionaryLoader.lenient().load(in, name);
  }

  /**
   * Loads a resource of the class path by a {@link DictionaryLoader#lenient() lenient} loader. The thread's context
   * class loader finds it.
   *
   * @param resource its path, such as {@code FIX44.xml}
   * @return the dictionary
   * @throws DictionaryException if there is no such resource, or it is no dictionary; the message lists all mistakes
   */
  public static Dictionary loadResource(String resource) {
    return DictionaryLoader.lenient().loadResource(resource);
  }

  /**
   * Returns the mistakes of the file that the loader has accepted.
   *
   * @return a line for each of up to 100 mistakes, with its place and its consequence. A further line counts the
   *     others. Empty for a file without mistakes
   */
  public List<String> warnings() {
    return warnings;
  }

  /**
   * Returns the file that the dictionary was loaded from.
   *
   * @return its absolute path; null for a stream or a resource
   */
  public @Nullable Path file() {
    return file;
  }

  /**
   * Returns true if this is a later load of another dictionary's file.
   *
   * @param other any dictionary
   * @return false also if one of them was not loaded from a file
   */
  public boolean isLaterLoadOf(Dictionary other) {
    return file != null && file.equals(other.file) && order > other.order;
  }

  /**
   * Returns the BeginString(8) of the dictionary's messages.
   *
   * @return such as {@code FIX.4.4} or {@code FIXT.1.1}; {@code FIX.5.0} for an application dictionary
   */
  public String beginString() {
    return beginString;
  }

  /**
   * Returns the version with its service pack.
   *
   * @return such as {@code FIX.4.4} or {@code FIX.5.0SP2}
   */
  public String version() {
    return version;
  }

  /**
   * Returns the data fields, for the parsing of messages.
   *
   * @return those of this dictionary and those of the specification
   */
  public DataFields dataFields() {
    return dataFields;
  }

  /**
   * Returns the tags of a group, nested groups included, for {@link dev.decant.fix.message.GroupView}. Call it once and
   * keep the result.
   *
   * @param msgType the message that has the group; groups of the header are found in any message
   * @param numInGroupTag the NoXXX field that leads the group
   * @return returns true for each tag of the group
   * @throws IllegalArgumentException if the message has no such group
   */
  public IntPredicate groupMembers(String msgType, int numInGroupTag) {
    MemberTable body = body(MsgType.key(msgType));
    MemberTable group = body == null ? null : findGroup(body, numInGroupTag);
    if (group == null && header != null) {
      group = findGroup(header, numInGroupTag);
    }
    if (group == null) {
      throw new IllegalArgumentException(this + " has no group " + numInGroupTag + " in message " + msgType);
    }
    TagTable members = TagTable.ofIndexes(
        withNested(group).stream().flatMapToInt(table -> Arrays.stream(table.tags)).distinct().toArray());
    return members::contains;
  }

  /** Returns the group at the outermost level that has it. */
  private static @Nullable MemberTable findGroup(MemberTable outermost, int numInGroupTag) {
    for (MemberTable table : withNested(outermost)) {
      int position = table.position(numInGroupTag);
      if (position >= 0 && table.groups[position] != null) {
        return table.groups[position];
      }
    }
    return null;
  }

  /** Returns a table and those of the groups within it, outer ones first, each once. */
  private static List<MemberTable> withNested(MemberTable outermost) {
    Set<MemberTable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<MemberTable> tables = new ArrayList<>(List.of(outermost));
    for (int i = 0; i < tables.size(); i++) {
      for (MemberTable group : tables.get(i).groups) {
        if (group != null && seen.add(group)) {
          tables.add(group);
        }
      }
    }
    return tables;
  }

  /**
   * Returns true if the dictionary defines a message.
   *
   * @param msgTypeKey the number of its type, see {@link MsgType}
   * @return true if messages of this type can be validated
   */
  public boolean hasMessage(int msgTypeKey) {
    return messageIndexes.contains(msgTypeKey);
  }

  /**
   * Returns the name of a message.
   *
   * @param msgTypeKey the number of its type, see {@link MsgType}
   * @return its name; empty if the dictionary does not define it
   */
  public String messageName(int msgTypeKey) {
    int index = messageIndexes.get(msgTypeKey);
    return index < 0 ? "" : messages[index].name();
  }

  /**
   * Returns true if the dictionary defines a field.
   *
   * @param tag any number
   * @return true if it is in the fields' list
   */
  public boolean hasField(int tag) {
    return fieldIndexes.contains(tag);
  }

  /**
   * Returns the name of a field.
   *
   * @param tag any number
   * @return its name; empty if the dictionary does not define it
   */
  public String fieldName(int tag) {
    FieldDefinition field = field(tag);
    return field == null ? "" : field.name();
  }

  @Nullable
  FieldDefinition field(int tag) {
    int index = fieldIndexes.get(tag);
    return index < 0 ? null : fields[index];
  }

  /** Returns the members of a message's body; null if the dictionary does not define it. */
  @Nullable
  MemberTable body(int msgTypeKey) {
    int index = messageIndexes.get(msgTypeKey);
    return index < 0 ? null : messages[index].body();
  }

  /** Returns true if this is the type of a message here, or one that MsgType(35) lists. */
  boolean knowsType(int msgTypeKey) {
    return knownTypes.contains(msgTypeKey);
  }

  @Nullable
  MemberTable header() {
    return header;
  }

  @Nullable
  MemberTable trailer() {
    return trailer;
  }

  /** Returns how many longs a set of members of any message or group takes. */
  int mostWords() {
    int words = header == null ? 1 : header.mostWords;
    for (DictionaryCompiler.Message message : messages) {
      words = Math.max(words, message.body().mostWords);
    }
    return words;
  }

  /** Returns the version and the source. */
  @Override
  public String toString() {
    return version + " (" + name + ")";
  }
}

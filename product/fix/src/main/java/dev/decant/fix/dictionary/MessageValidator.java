package dev.decant.fix.dictionary;

import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.StandardHeader;
import dev.decant.fix.message.Tag;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Validates received messages by a dictionary. Each session has one; not thread-safe. It allocates only if a message
 * has more fields outside of the dictionary than any before it.
 *
 * <p>It reads a message once. If a message has several problems, it reports one, in this order:
 * <ol>
 * <li>an unknown MsgType(35);
 * <li>the first problem of structure: tags out of order, repeated tags, fields that an entry of a group cannot have;
 * <li>a missing field: of the header, the trailer, the body, an entry;
 * <li>a problem of a single field, or a wrong count of entries: in the header, the trailer, the body, an entry.
 * </ol>
 *
 * <p>The checks are QuickFIX/J's, with these differences:
 * <ul>
 * <li>tags that are repeated in the header or trailer are found;
 * <li>datatypes are checked that QuickFIX/J treats as text, such as LOCALMKTDATE;
 * <li>NoXXX fields of nested groups must be in order, too;
 * <li>entries of optional groups must have their required fields, see
 * {@link ValidationSettings#checkRequiredInOptionalGroups}.
 * </ul>
 */
@SuppressWarnings("EnumOrdinal") // an index into arrays of this process only
public final class MessageValidator {
  /** Result of {@link #validate}: the message is valid. */
  public static final int VALID = -1;
  /**
   * Result of {@link #validate}: the dictionary does not define the message, but its type is one of the specification,
   * or user-defined (U...). The response is a BusinessMessageReject(j) with BusinessRejectReason(380) 3, not a
   * Reject(3).
   */
  public static final int UNSUPPORTED_MSG_TYPE = -2;
  /**
   * {@link #failingTag} returns this if there is no field at fault. It is not 0, since a message can have that tag,
   * which is invalid.
   */
  public static final int NO_TAG = Integer.MIN_VALUE;

  /**
   * BeginString, BodyLength and MsgType begin a message, and CheckSum ends it. The parsing has checked these fields.
   */
  private static final int PARSED_FIRST_FIELDS = 3;
  private static final int PARSED_LAST_FIELDS = 1;
  /** The tags from HopCompID to HopRefID. */
  private static final int FIRST_HOP_TAG = 628;
  private static final int LAST_HOP_TAG = 630;
  private static final int FIRST_USER_DEFINED_TAG = 5_000;
  /** Methods that return the next index return this if the structure is broken. Reason and tag are set then. */
  private static final int BROKEN = -1;

  /** Stands for "no message". */
  private static final MessageView NONE = new MessageView();

  private static final int HEADER = 0;
  private static final int TRAILER = 1;
  private static final int BODY = 2;
  private static final int ENTRY = 3;
  /** The rank of problems of single fields, after missing fields of all parts. */
  private static final int FIELD_PROBLEM = 4;
  private static final int NO_PROBLEM = 8;

  private final Dictionary transport;
  private final Dictionary application;
  private final ValidationSettings settings;
  /** Copy of the setting, which is read for each field. */
  private final boolean checkRepeatedTags;
  private final MemberTable header;
  private final MemberTable trailer;
  /** The members that the parsing has checked, which count as seen. */
  private final long[] headerParsed;
  private final long[] trailerParsed;
  private final long[] headerSeen;
  private final long[] trailerSeen;
  /** The members seen, by level: 0 is the body, 1 an entry of a group in it, and so on. */
  private final long[][] seen;
  private final TagSet others = new TagSet();

  /** The tables around the field, by level; 0 is the body. */
  private final MemberTable[] tables = new MemberTable[MemberTable.MAX_GROUP_DEPTH + 1];
  /** The message being validated; between calls, the last one. */
  private MessageView view = NONE;
  /** The dictionary of the message being validated: that of the transport or of the application. */
  private Dictionary dictionary;
  /** The rank of the problem found so far; a lower one replaces it. */
  private int rank;
  /** The SessionRejectReason(373) of that problem. */
  private int reason;
  /** The field at fault in that problem. */
  private int failingTag = NO_TAG;
  /** The rules that the message breaks and settings relax: a bit for each {@link Leniency}, by ordinal. */
  private int tolerated;
  /** By ordinal of {@link Leniency}, the first field that broke the rule. */
  private final int[] toleratedTags = new int[Leniency.values().length];

  /**
   * Creates a validator for a version with one dictionary, FIX.4.0 to FIX.4.4.
   *
   * @param dictionary with header, trailer and messages
   * @param settings the checks to make
   * @throws IllegalArgumentException if the dictionary has no header
   */
  public MessageValidator(Dictionary dictionary, ValidationSettings settings) {
    this(dictionary, dictionary, settings);
  }

  /**
   * Creates a validator for a version with two dictionaries, FIX.5.0 and later.
   *
   * @param transport the dictionary of FIXT.1.1, with header, trailer and session messages
   * @param application the dictionary of the application's messages
   * @param settings the checks to make
   * @throws IllegalArgumentException if the dictionary of the transport has no header
   */
  public MessageValidator(Dictionary transport, Dictionary application, ValidationSettings settings) {
    MemberTable headerTable = transport.header();
    MemberTable trailerTable = transport.trailer();
    if (headerTable == null || trailerTable == null) {
      throw new IllegalArgumentException(
          transport + " has no header; give the dictionary of the transport first, FIXT.1.1");
    }
    this.transport = transport;
    this.application = application;
    this.settings = settings;
    checkRepeatedTags = settings.checkRepeatedTags();
    dictionary = application;
    header = headerTable;
    trailer = trailerTable;
    headerParsed = members(header, Tag.BEGIN_STRING, Tag.BODY_LENGTH, Tag.MSG_TYPE);
    trailerParsed = members(trailer, Tag.CHECK_SUM);
    headerSeen = headerParsed.clone();
    trailerSeen = trailerParsed.clone();
    seen = new long[MemberTable.MAX_GROUP_DEPTH + 1][Math.max(transport.mostWords(), application.mostWords())];
    Arrays.fill(tables, header);
  }

  private static long[] members(MemberTable table, int... tags) {
    long[] members = new long[table.mostWords];
    for (int tag : tags) {
      int position = table.position(tag);
      if (position >= 0) {
        members[position >> 6] |= 1L << position;
      }
    }
    return members;
  }

  /**
   * Validates a message.
   *
   * @param message a message that {@link MessageView#parse} has found well-formed
   * @return {@link #VALID}, {@link #UNSUPPORTED_MSG_TYPE}, or a value of SessionRejectReason(373), see
   *     {@link RejectReason}
   */
  public int validate(MessageView message) {
    int key = message.msgTypeKey();
    tolerated = 0;
    MemberTable body = transport.body(key);
    dictionary = transport;
    if (body == null) {
      body = application.body(key);
      dictionary = application;
    }
    if (body == null) {
      return unknownType(message, key);
    }
    view = message;
    rank = NO_PROBLEM;
    reason = VALID;
    failingTag = NO_TAG;
    System.arraycopy(headerParsed, 0, headerSeen, 0, headerSeen.length);
    System.arraycopy(trailerParsed, 0, trailerSeen, 0, trailerSeen.length);
    Arrays.fill(seen[0], 0, body.required.length, 0);
    others.clear();
    if (walk(body) != BROKEN) {
      require(header, headerSeen, HEADER);
      require(trailer, trailerSeen, TRAILER);
      require(body, seen[0], BODY);
    }
    return reason;
  }

  /**
   * Returns the field for which the last message was refused, RefTagID(371).
   *
   * @return its tag as received; {@link #NO_TAG} for none
   */
  public int failingTag() {
    return failingTag;
  }

  /**
   * Returns true if the last message breaks a rule although it is valid, because settings relax that rule. Call this
   * and the next method after {@link #VALID} only.
   *
   * @return false if it keeps all rules
   */
  public boolean isTolerated() {
    return tolerated != 0;
  }

  /**
   * Returns the first field that broke a relaxed rule in the last message.
   *
   * @param leniency the rule
   * @return its tag; {@link #NO_TAG} if the message keeps the rule
   */
  public int toleratedTag(Leniency leniency) {
    return (tolerated & 1 << leniency.ordinal()) == 0 ? NO_TAG : toleratedTags[leniency.ordinal()];
  }

  private void tolerate(Leniency leniency, int tag) {
    int bit = 1 << leniency.ordinal();
    if ((tolerated & bit) == 0) {
      tolerated |= bit;
      toleratedTags[leniency.ordinal()] = tag;
    }
  }

  private int unknownType(MessageView message, int key) {
    boolean isEmpty = message.valueFrom(2) == message.valueTo(2);
    if (settings.allowUnknownMessages() && !isEmpty) {
      failingTag = NO_TAG;
      tolerate(Leniency.UNKNOWN_MESSAGE, Tag.MSG_TYPE);
      return VALID;
    }
    boolean isUserDefined = message.buffer().get(message.valueFrom(2)) == 'U';
    if (isUserDefined || transport.knowsType(key) || application.knowsType(key)) {
      failingTag = NO_TAG;
      return UNSUPPORTED_MSG_TYPE;
    }
    failingTag = Tag.MSG_TYPE;
    return isEmpty ? RejectReason.TAG_WITHOUT_VALUE : RejectReason.INVALID_MSG_TYPE;
  }

  private int walk(MemberTable body) {
    int end = view.endField() - PARSED_LAST_FIELDS;
    tables[0] = body;
    int at = walkHeader(body, end);
    long[] bodySeen = seen[0];
    boolean inTrailer = false;
    while (at >= 0 && at < end) {
      int tag = view.tagAt(at);
      int position = body.position(tag);
      if (position >= 0 && !inTrailer) {
        at = member(body, bodySeen, position, at, BODY);
      } else if (isOfTrailer(tag)) {
        inTrailer = true;
        at = trailerField(tag, at);
      } else {
        at = misplaced(tag, at, position, inTrailer);
      }
    }
    return at;
  }

  /** Checks the fields at the start that belong to the header. */
  private int walkHeader(MemberTable body, int end) {
    int at = view.firstField() + PARSED_FIRST_FIELDS;
    while (at >= 0 && at < end) {
      int tag = view.tagAt(at);
      int position = header.position(tag);
      if (position >= 0) {
        at = member(header, headerSeen, position, at, HEADER);
      } else if (isOfAnyHeader(tag) && body.position(tag) < 0) {
        at = foreign(transport, tag, at, HEADER);
      } else {
        return at;
      }
    }
    return at;
  }

  private boolean isOfTrailer(int tag) {
    return trailer.position(tag) >= 0 || StandardHeader.isTrailer(tag);
  }

  private boolean isOfHeader(int tag) {
    return header.position(tag) >= 0 || isOfAnyHeader(tag);
  }

  /**
   * Returns true if the header of some version has the field. Members of NoHops(627) are valid only behind that field.
   */
  private static boolean isOfAnyHeader(int tag) {
    return StandardHeader.contains(tag) && (tag < FIRST_HOP_TAG || tag > LAST_HOP_TAG);
  }

  private int trailerField(int tag, int at) {
    int position = trailer.position(tag);
    return position < 0 ? foreign(transport, tag, at, TRAILER) : member(trailer, trailerSeen, position, at, TRAILER);
  }

  /**
   * Reports a field of the header in the body, a field behind a field of the trailer, or one that the body does not
   * have.
   */
  private int misplaced(int tag, int at, int bodyPosition, boolean inTrailer) {
    boolean ofHeader = bodyPosition < 0 && isOfHeader(tag);
    int headerPosition = header.position(tag);
    boolean repeated = ofHeader && headerPosition >= 0 && contains(headerSeen, headerPosition);
    if ((ofHeader || inTrailer) && !(repeated && checkRepeatedTags)) {
      if (settings.checkFieldsOutOfOrder()) {
        return broken(RejectReason.TAG_OUT_OF_ORDER, tag);
      }
      tolerate(Leniency.FIELD_OUT_OF_ORDER, tag);
    }
    if (bodyPosition >= 0) {
      return member(tables[0], seen[0], bodyPosition, at, BODY);
    }
    if (!ofHeader && settings.allowMissingGroupCounts()) {
      int uncounted = uncountedGroup(tables[0], seen[0], tag);
      if (uncounted >= 0) {
        return group(tables[0].group(uncounted), ~at, 1, tables[0].isRequired(uncounted), BODY);
      }
    }
    return headerPosition >= 0
        ? member(header, headerSeen, headerPosition, at, HEADER)
        : foreign(ofHeader ? transport : dictionary, tag, at, ofHeader ? HEADER : BODY);
  }

  private static boolean contains(long[] members, int position) {
    return (members[position >> 6] & 1L << position) != 0;
  }

  /**
   * Checks a field of a table outside of groups, and the group that it may lead. Returns the index of the next field.
   */
  private int member(MemberTable table, long[] tableSeen, int position, int at, int part) {
    int tag = table.tags[position];
    int word = position >> 6;
    long seenBefore = tableSeen[word];
    long seenNow = seenBefore | 1L << position;
    if (seenNow == seenBefore) {
      if (checkRepeatedTags) {
        return broken(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, tag);
      }
      tolerate(Leniency.REPEATED_TAG, tag);
    }
    tableSeen[word] = seenNow;
    checkValue(tag, at, table.formats[position], table.values[position], part);
    MemberTable group = table.groups[position];
    return group == null ? at + 1 : group(group, at, 1, table.isRequired(position), part);
  }

  /**
   * Checks the entries of a group. There are at most {@link MemberTable#MAX_GROUP_DEPTH} levels, as in the dictionary.
   *
   * @param numInGroupAt index of the NoXXX field; the complement of the first entry's index if there is none
   * @return index of the first field behind the group
   */
  private int group(MemberTable group, int numInGroupAt, int level, boolean required, int part) {
    boolean requireMembers = required || settings.checkRequiredInOptionalGroups();
    long[] entrySeen = seen[level];
    int end = view.endField() - PARSED_LAST_FIELDS;
    int delimiter = settings.firstFieldInGroupIsDelimiter() ? 0 : group.tags[0];
    int count = 0;
    int last = -1;
    int at = numInGroupAt < 0 ? ~numInGroupAt : numInGroupAt + 1;
    while (at >= 0 && at < end) {
      int tag = view.tagAt(at);
      int position = group.position(tag);
      if (position < 0) {
        if (part == HEADER || isAround(tag, level)) {
          break;
        }
        int next = count > 0 && settings.allowMissingGroupCounts()
            ? uncountedInEntry(group, tag, at, level)
            : otherOfEntry(tag, at, count, numInGroupAt);
        if (next == at) {
          break;
        }
        at = next;
        continue;
      }
      if (delimiter == 0) {
        delimiter = tag;
        if (tag != group.tags[0]) {
          tolerate(Leniency.GROUP_DELIMITER, tag);
        }
      }
      if (tag == delimiter) {
        if (count > 0) {
          requireOfEntry(group, entrySeen, requireMembers);
        }
        count++;
        Arrays.fill(entrySeen, 0, group.required.length, 0);
      } else if (!isInOrder(group, entrySeen, count, position, last)) {
        return broken(misplacedInEntry(count), tag);
      }
      last = position;
      at = memberOfEntry(group, position, at, level);
    }
    if (at >= 0 && count > 0) {
      requireOfEntry(group, entrySeen, requireMembers);
    }
    if (at >= 0) {
      checkCount(numInGroupAt, count, part);
    }
    return at;
  }

  /** Returns true if a member that does not begin an entry may be at this place. */
  private boolean isInOrder(MemberTable group, long[] entrySeen, int count, int position, int last) {
    if (count > 0 && position > last) {
      return true;
    }
    if (count == 0 || settings.checkUnorderedGroupFields()) {
      return false;
    }
    boolean repeated = contains(entrySeen, position);
    if (!repeated || !checkRepeatedTags) {
      tolerate(repeated ? Leniency.REPEATED_TAG : Leniency.GROUP_ORDER, group.tags[position]);
      return true;
    }
    return false;
  }

  /** Returns the fault of a misplaced field in an entry. Without a check of the order, that is a repeated tag. */
  private int misplacedInEntry(int count) {
    return count == 0 || settings.checkUnorderedGroupFields()
        ? RejectReason.GROUP_OUT_OF_ORDER
        : RejectReason.TAG_APPEARS_MORE_THAN_ONCE;
  }

  private int memberOfEntry(MemberTable group, int position, int at, int level) {
    seen[level][position >> 6] |= 1L << position;
    checkValue(group.tags[position], at, group.formats[position], group.values[position], ENTRY);
    MemberTable nested = group.groups[position];
    if (nested == null) {
      return at + 1;
    }
    tables[level] = group;
    return group(nested, at, level + 1, group.isRequired(position), ENTRY);
  }

  /** Returns true if a tag that the group does not have ends it, because a part around the group has the tag. */
  private boolean isAround(int tag, int level) {
    for (int i = 0; i < level; i++) {
      if (tables[i].position(tag) >= 0) {
        return true;
      }
    }
    return isOfHeader(tag) || isOfTrailer(tag);
  }

  /**
   * Handles a tag that has no place in or around the group. Returns its own index if it ends a group without entries.
   */
  private int otherOfEntry(int tag, int at, int count, int numInGroupAt) {
    if (!isAllowed(tag)) {
      return broken(notAllowed(dictionary, tag), tag);
    }
    if (count > 0) {
      checkKnownValue(dictionary, tag, at, ENTRY);
      return at + 1;
    }
    return announced(numInGroupAt) > 0 ? broken(RejectReason.GROUP_OUT_OF_ORDER, tag) : at;
  }

  /** Returns the group of a table that begins with the tag, if its NoXXX field was not found; negative for none. */
  private int uncountedGroup(MemberTable table, long[] tableSeen, int tag) {
    int position = table.groupThatBeginsWith(tag);
    if (position < 0 || contains(tableSeen, position)) {
      return -1;
    }
    tableSeen[position >> 6] |= 1L << position;
    tolerate(Leniency.MISSING_GROUP_COUNT, table.tags[position]);
    return position;
  }

  /** Handles a tag as {@link #otherOfEntry} does, or a nested group without its NoXXX field. */
  private int uncountedInEntry(MemberTable group, int tag, int at, int level) {
    int uncounted = uncountedGroup(group, seen[level], tag);
    if (uncounted < 0) {
      return otherOfEntry(tag, at, 1, ~at);
    }
    tables[level] = group;
    return group(group.group(uncounted), ~at, level + 1, group.isRequired(uncounted), ENTRY);
  }

  private void checkCount(int numInGroupAt, int count, int part) {
    if (numInGroupAt < 0 || announced(numInGroupAt) == count) {
      return;
    }
    if (settings.checkGroupCounts()) {
      note(FIELD_PROBLEM + part, RejectReason.INCORRECT_NUM_IN_GROUP, view.tagAt(numInGroupAt));
    } else {
      tolerate(Leniency.GROUP_COUNT, view.tagAt(numInGroupAt));
    }
  }

  /** Returns the value of the NoXXX field; nothing for one without a value, which settings may allow. */
  private long announced(int numInGroupAt) {
    int from = view.valueFrom(numInGroupAt);
    int to = view.valueTo(numInGroupAt);
    return from == to ? 0 : ValueFormat.integer(view.buffer(), from, to);
  }

  /** Checks a field outside of groups that its part of the message does not have. */
  private int foreign(Dictionary from, int tag, int at, int part) {
    if (!others.add(tag)) {
      if (checkRepeatedTags) {
        return broken(RejectReason.TAG_APPEARS_MORE_THAN_ONCE, tag);
      }
      tolerate(Leniency.REPEATED_TAG, tag);
    }
    checkKnownValue(from, tag, at, part);
    // A field of the header of any version is valid in every header whose dictionary knows it.
    boolean fits = part != BODY && from.hasField(tag);
    if (!fits && !isAllowed(tag)) {
      note(FIELD_PROBLEM + part, notAllowed(from, tag), tag);
    }
    return at + 1;
  }

  private boolean isAllowed(int tag) {
    if (tag <= 0) {
      return false;
    }
    boolean isUserDefined = tag >= FIRST_USER_DEFINED_TAG;
    boolean isAllowed = isUserDefined ? !settings.checkUserDefinedFields() : settings.allowUnknownMessageFields();
    if (isAllowed) {
      tolerate(isUserDefined ? Leniency.USER_DEFINED_FIELD : Leniency.UNKNOWN_FIELD, tag);
    }
    return isAllowed;
  }

  private static int notAllowed(Dictionary dictionary, int tag) {
    return dictionary.hasField(tag)
        ? RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE
        : RejectReason.INVALID_TAG_NUMBER;
  }

  private void checkKnownValue(Dictionary from, int tag, int at, int part) {
    FieldDefinition field = from.field(tag);
    if (field == null) {
      checkValue(tag, at, ValueFormat.TEXT, null, part);
    } else {
      checkValue(tag, at, field.format(), field.values(), part);
    }
  }

  /** Checks a value. The method is short, so that the compiler inlines it for values that break no rule. */
  private void checkValue(int tag, int at, ValueFormat format, @Nullable ValueSet values, int part) {
    int from = view.valueFrom(at);
    int to = view.valueTo(at);
    if (from == to || !format.matches(view.buffer(), from, to)
        || (values != null && !values.contains(view.buffer(), from, to))) {
      wrongValue(tag, at, format, values, part);
    }
  }

  private void wrongValue(int tag, int at, ValueFormat format, @Nullable ValueSet values, int part) {
    int from = view.valueFrom(at);
    int to = view.valueTo(at);
    if (from == to) {
      if (settings.checkFieldsHaveValues()) {
        note(FIELD_PROBLEM + part, RejectReason.TAG_WITHOUT_VALUE, tag);
      } else {
        tolerate(Leniency.EMPTY_VALUE, tag);
      }
    } else if (!format.matches(view.buffer(), from, to) && !allowsFormat(tag, format, from, to)) {
      note(FIELD_PROBLEM + part, RejectReason.INCORRECT_DATA_FORMAT, tag);
    } else if (values != null && !values.contains(view.buffer(), from, to)) {
      if (settings.allowUnknownEnumValues()) {
        tolerate(Leniency.UNKNOWN_ENUM_VALUE, tag);
      } else {
        note(FIELD_PROBLEM + part, RejectReason.VALUE_IS_INCORRECT, tag);
      }
    }
  }

  /** Returns true if settings accept a value that does not have its format. */
  private boolean allowsFormat(int tag, ValueFormat format, int from, int to) {
    if (view.takesWeakTimestamps() && format.matchesWeakly(view.buffer(), from, to)) {
      tolerate(Leniency.WEAK_TIMESTAMP, tag);
      return true;
    }
    if (settings.checkDataFormats()) {
      return false;
    }
    tolerate(Leniency.DATA_FORMAT, tag);
    return true;
  }

  private void require(MemberTable table, long[] tableSeen, int part) {
    int missing = table.firstMissing(tableSeen);
    if (missing == 0) {
      return;
    }
    if (settings.checkRequiredFields()) {
      note(part, RejectReason.REQUIRED_TAG_MISSING, missing);
    } else {
      tolerate(Leniency.REQUIRED_FIELD, missing);
    }
  }

  private void requireOfEntry(MemberTable group, long[] entrySeen, boolean requireMembers) {
    if (requireMembers) {
      require(group, entrySeen, ENTRY);
    } else {
      int missing = group.firstMissing(entrySeen);
      if (missing != 0) {
        tolerate(Leniency.REQUIRED_FIELD, missing);
      }
    }
  }

  /** Keeps the problem with the lowest rank, and the first of these. */
  private void note(int problemRank, int problemReason, int tag) {
    if (problemRank < rank) {
      rank = problemRank;
      reason = problemReason;
      failingTag = tag;
    }
  }

  private int broken(int problemReason, int tag) {
    reason = problemReason;
    failingTag = tag;
    return BROKEN;
  }
}

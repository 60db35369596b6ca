package dev.decant.fix.dictionary;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The members of a header, a trailer, a message's body or a group's entry, in the order of the dictionary. Immutable.
 * Each member has a position, and sets of members are bits by position.
 */
final class MemberTable {
  /** The deepest nesting of groups; the loading refuses a dictionary with more. */
  static final int MAX_GROUP_DEPTH = 16;

  /** A field, or the NoXXX field of a group. */
  record Member(FieldDefinition field, boolean required, @Nullable MemberTable group) {}

  final int[] tags;
  final ValueFormat[] formats;
  final @Nullable ValueSet[] values;
  /** By position, the members of an entry; null for a field that leads no group. */
  final @Nullable MemberTable[] groups;
  final long[] required;
  /** Levels of groups within the table: 0 without a group. */
  final int groupDepth;
  /** How many longs a set of members takes, here or in a group within. */
  final int mostWords;
  private final TagTable positions;

  MemberTable(List<Member> members) {
    int count = members.size();
    tags = new int[count];
    formats = new ValueFormat[count];
    values = new ValueSet[count];
    groups = new MemberTable[count];
    required = new long[(count + 63) >> 6];
    int depth = 0;
    int words = Math.max(1, required.length);
    for (int i = 0; i < count; i++) {
      Member member = members.get(i);
      tags[i] = member.field().tag();
      formats[i] = member.field().format();
      values[i] = member.field().values();
      groups[i] = member.group();
      if (member.required()) {
        required[i >> 6] |= 1L << i;
      }
      MemberTable group = member.group();
      if (group != null) {
        depth = Math.max(depth, 1 + group.groupDepth);
        words = Math.max(words, group.mostWords);
      }
    }
    groupDepth = depth;
    mostWords = words;
    positions = TagTable.ofIndexes(tags);
  }

  /** Returns the position of a tag; negative if it is no member. */
  int position(int tag) {
    return positions.get(tag);
  }

  /** Returns the members of an entry of the group at a position. */
  MemberTable group(int position) {
    return Objects.requireNonNull(groups[position]);
  }

  /** Returns the position of the first group whose entries begin with a tag; negative if there is none. */
  int groupThatBeginsWith(int tag) {
    for (int i = 0; i < groups.length; i++) {
      MemberTable group = groups[i];
      if (group != null && group.tags[0] == tag) {
        return i;
      }
    }
    return -1;
  }

  boolean isRequired(int position) {
    return (required[position >> 6] & 1L << position) != 0;
  }

  /**
   * Returns the tag of the first required member, in the dictionary's order, that is not in {@code seen}; 0 for none.
   */
  int firstMissing(long[] seen) {
    for (int word = 0; word < required.length; word++) {
      long missing = required[word] & ~seen[word];
      if (missing != 0) {
        return tags[(word << 6) + Long.numberOfTrailingZeros(missing)];
      }
    }
    return 0;
  }
}

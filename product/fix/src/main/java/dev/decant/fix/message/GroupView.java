package dev.decant.fix.message;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of a repeating group, one after the other. The user creates it once and uses it for any number of
 * messages:
 *
 * <pre>
 * GroupView legs = message.group(555, this.legs);
 * while (legs.next()) {
 *   legs.text(600, symbol);
 * }
 * </pre>
 *
 * <p>An entry begins with the field that follows the NoXXX field, and ends before that field comes again. The end of
 * the last entry is not visible: without the group's tags, it is the end of what surrounds the group. A group that is
 * nested in an entry must not have the tag of the entry's first field.
 */
public final class GroupView extends FieldView {
  private final @Nullable IntPredicate members;
  /** The value of the NoXXX field, which may be hostile. */
  private long count;
  /** The tag that begins each entry. */
  private int delimiterTag;
  /** Index after the last field that may belong to the group. */
  private int outerEnd;
  /** Index of the field that begins the next entry. */
  private int nextEntry;

  /** Creates a view for a group whose tags are not known: its last entry ends with what surrounds the group. */
  public GroupView() {
    super(new FieldTable());
    this.members = null;
  }

  /**
   * Creates a view for a group whose tags are known.
   *
   * @param members returns true for each tag of the group, nested groups included
   */
  public GroupView(IntPredicate members) {
    super(new FieldTable());
    this.members = members;
  }

  /** Starts at the group whose NoXXX field has this index; -1 for no group. */
  void start(FieldTable table, int numInGroupIndex, int surroundingEnd, long announced) {
    fields = table;
    count = announced;
    int start = numInGroupIndex + 1;
    boolean isThere = numInGroupIndex >= 0 && announced > 0 && start < surroundingEnd;
    outerEnd = isThere ? groupEnd(start, surroundingEnd) : 0;
    delimiterTag = isThere ? table.tags[start] : 0;
    nextEntry = isThere ? start : 0;
    range(0, 0);
  }

  private int groupEnd(int start, int surroundingEnd) {
    IntPredicate known = members;
    if (known == null) {
      return surroundingEnd;
    }
    int at = start;
    while (at < surroundingEnd && known.test(fields.tags[at])) {
      at++;
    }
    return at;
  }

  @Override
  public int find(int tag) {
    return fields.find(tag, first, end);
  }

  /**
   * Returns how many entries the NoXXX field announces. The value may be hostile: negative, or not the number of
   * entries.
   *
   * @return 0 if there is no group
   */
  public long announced() {
    return count;
  }

  /**
   * Moves to the next entry, whose fields this view then reads.
   *
   * @return false if there is no further entry
   */
  public boolean next() {
    int start = nextEntry;
    if (start >= outerEnd || fields.tags[start] != delimiterTag) {
      range(0, 0);
      return false;
    }
    int at = start + 1;
    while (at < outerEnd && fields.tags[at] != delimiterTag) {
      at++;
    }
    nextEntry = at;
    range(start, at);
    return true;
  }
}

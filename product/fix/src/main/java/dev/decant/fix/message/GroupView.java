package dev.decant.fix.message;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a repeating group, one after the other. Made once by its user and used for any number of messages:
 *
 * <pre>
 * GroupView legs = message.group(555, this.legs);
 * while (legs.next()) {
 *   legs.text(600, symbol);
 * }
 * </pre>
 *
 * <p>An entry begins with the field that follows the NoXXX field and goes to the next such field. Where the last entry
 * ends cannot be seen: it goes to the end of what surrounds the group, unless the group's tags are known. A group that
 * is nested in an entry must not have the tag of the entry's first field.
 */
public final class GroupView extends FieldView {
  private final @Nullable IntPredicate members;
  private long count;
  private int delimiterTag;
  private int outerEnd;
  private int nextEntry;

  /** Makes a view for a group whose tags are not known: its last entry ends with what surrounds the group. */
  public GroupView() {
    super(new FieldTable());
    this.members = null;
  }

  /**
   * Makes a view for a group whose tags are known.
   *
   * @param members tells of any tag whether it is one of the group, nested groups included
   */
  public GroupView(IntPredicate members) {
    super(new FieldTable());
    this.members = members;
  }

  /** At the group whose NoXXX field has this index; -1 for no group. */
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
   * How many entries the NoXXX field announces: hostile, even negative, and not the number of those that are there.
   *
   * @return 0 if there is no group
   */
  public long announced() {
    return count;
  }

  /**
   * Goes to the next entry, whose fields are this view's then.
   *
   * @return false if there is no further one
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

package dev.decant.kafka.internal;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The group members of a client. A coordinator may refuse the offsets of a transaction because the member is no longer
 * in its group. Without this class the member would hear of that with its next heartbeat, and its application would
 * work until then on records that belong to others. Owner of the loop only.
 */
public final class GroupMembers {
  /** A member of a group. */
  public interface Member {
    /**
     * Sends a heartbeat now, if a refusal is of the present membership.
     *
     * @param refused the member as the refused request has named it
     */
    void verify(GroupMetadata refused);
  }

  private final Set<Member> members = new HashSet<>();

  /**
   * Adds a member. Does nothing if it was added before.
   *
   * @param member has joined a group, or is about to
   */
  public void add(Member member) {
    members.add(member);
  }

  /**
   * Removes a member. Does nothing if it is not here.
   *
   * @param member has left its group
   */
  public void remove(Member member) {
    members.remove(member);
  }

  /**
   * Has members verify their membership, if the code of a refusal says that there may be none.
   *
   * @param refused the member as the refused request has named it
   * @param code of the response
   */
  public void refused(GroupMetadata refused, ErrorCode code) {
    if (isOfNoMember(code)) {
      List.copyOf(members).forEach(member -> member.verify(refused));
    }
  }

  /**
   * Tells whether a coordinator refuses a request with this code because the group has no such member.
   *
   * @param code of the response
   * @return true if the member may have been removed or replaced
   */
  public static boolean isOfNoMember(ErrorCode code) {
    return code == ErrorCode.UNKNOWN_MEMBER_ID || code == ErrorCode.ILLEGAL_GENERATION
        || code == ErrorCode.FENCED_MEMBER_EPOCH || code == ErrorCode.FENCED_INSTANCE_ID
        || code == ErrorCode.GROUP_ID_NOT_FOUND;
  }
}

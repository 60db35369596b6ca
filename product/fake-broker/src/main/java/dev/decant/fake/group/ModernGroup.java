package dev.decant.fake.group;

import dev.decant.fake.cluster.Cluster;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A group whose coordinator assigns the partitions: Kafka's name for consumer groups (KIP-848) and share groups
 * (KIP-932) together. The group epoch grows with each change of members, subscriptions or topics. A target is computed
 * for it, and members receive the target with their heartbeats. A member without a heartbeat for its session timeout is
 * removed.
 *
 * @param <M> type of the members
 */
public abstract class ModernGroup<M extends ModernMember> implements Group {
  private final String id;
  private final String type;
  private final Cluster cluster;
  private final Map<String, M> members = new LinkedHashMap<>();
  private int epoch;
  private int targetEpoch;

  /**
   * Creates a group without members.
   *
   * @param type type in lists, and prefix of the group's settings
   */
  protected ModernGroup(String id, String type, Cluster cluster) {
    this.id = id;
    this.type = type;
    this.cluster = cluster;
    this.epoch = cluster.release().isAtLeast(4, 3) ? 1 : 0; // the first member joins in the epoch after it
    this.targetEpoch = epoch;
  }

  @Override
  public final String id() {
    return id;
  }

  /** Returns the cluster. */
  protected final Cluster cluster() {
    return cluster;
  }

  /** Returns the group epoch. */
  public final int epoch() {
    return epoch;
  }

  /** Raises the group epoch, which then needs another target. */
  protected final void advance() {
    epoch++;
  }

  /** Returns the epoch of the target. */
  public final int targetEpoch() {
    return targetEpoch;
  }

  /** Marks the target as that of the present epoch. */
  protected final void targetComputed() {
    targetEpoch = epoch;
  }

  /** Returns the members in the order in which they joined. */
  public final Collection<M> members() {
    return Collections.unmodifiableCollection(members.values());
  }

  /** Returns a member, or null. */
  public final @Nullable M member(String memberId) {
    return members.get(memberId);
  }

  @Override
  public final boolean isEmpty() {
    return members.isEmpty();
  }

  @Override
  public final String typeLabel() {
    return type;
  }

  @Override
  public final String protocolLabel() {
    return type;
  }

  @Override
  public final boolean isOfConsumers() {
    return true;
  }

  /** Adds a member. */
  protected final void put(M member) {
    members.put(member.id(), member);
  }

  /** Removes a member. Its partitions are free at once; another member's next heartbeat assigns them. */
  public final void remove(String memberId) {
    M member = members.get(memberId);
    if (member != null) {
      forget(member);
      advance();
    }
  }

  /** Removes a member within an epoch. */
  protected void forget(M member) {
    members.remove(member.id());
    cluster.cancel(member.session());
  }

  /** Restarts a member's session timeout. */
  public final void restartSession(M member) {
    cluster.schedule(member.session(), cluster.groupSettings(id).getInt(type + ".session.timeout.ms"));
  }

  @Override
  public final void committed(String memberId) {
    // only heartbeats restart the session timeout in these groups
  }

  @Override
  public final boolean expire(String name) {
    List<String> expired = members.values().stream().filter(m -> m.isCalled(name)).map(ModernMember::id).toList();
    expired.forEach(this::remove);
    return !expired.isEmpty();
  }

  /** Restarts the sessions with the next coordinator; all of the group is on disk. */
  @Override
  public final void moved() {
    members.values().forEach(this::restartSession);
  }

  @Override
  public void end() {
    List.copyOf(members.values()).forEach(this::forget);
  }

  @Override
  public final String toString() {
    return id + " " + stateLabel() + " " + epoch + " " + members.values();
  }
}

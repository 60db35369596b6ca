package dev.decant.fake.group;

import dev.decant.fake.cluster.Cluster;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A group whose coordinator assigns the partitions, as Kafka calls consumer groups (KIP-848) and share groups (KIP-932)
 * together. The group's epoch grows with each change of members, subscriptions or topics; a target is computed for it,
 * and members hear of the target by their heartbeats. A member that sends none for the time of a session is removed.
 *
 * @param <M> its members
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
   * @param id its name
   * @param type as lists show it, and as its settings begin
   * @param cluster has the topics and the time
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

  /** The cluster of the group. */
  protected final Cluster cluster() {
    return cluster;
  }

  /** The epoch that the group is in. */
  public final int epoch() {
    return epoch;
  }

  /** Begins another epoch, which needs another target. */
  protected final void advance() {
    epoch++;
  }

  /** The epoch that the target is for. */
  public final int targetEpoch() {
    return targetEpoch;
  }

  /** Says that the target is for the present epoch. */
  protected final void targetComputed() {
    targetEpoch = epoch;
  }

  /** The members, in the order in which they came. */
  public final Collection<M> members() {
    return Collections.unmodifiableCollection(members.values());
  }

  /** A member, or null. */
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

  /** Removes a member, whose partitions are free at once; the next heartbeat of another one assigns them. */
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

  /** Begins a member's session time anew. */
  public final void heardOf(M member) {
    cluster.schedule(member.session(), cluster.groupSettings(id).getInt(type + ".session.timeout.ms"));
  }

  @Override
  public final void committed(String memberId) {
    // heartbeats alone keep a member of such a group
  }

  @Override
  public final boolean expire(String name) {
    List<String> expired = members.values().stream().filter(m -> m.isCalled(name)).map(ModernMember::id).toList();
    expired.forEach(this::remove);
    return !expired.isEmpty();
  }

  /** All of the group is on disk; the sessions begin anew with the next coordinator. */
  @Override
  public final void moved() {
    members.values().forEach(this::heardOf);
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

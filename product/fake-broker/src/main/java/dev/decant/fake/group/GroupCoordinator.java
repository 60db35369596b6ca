package dev.decant.fake.group;

import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Coordinators;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a cluster and their offsets. All brokers share this object, and each responds for the groups that it
 * coordinates. State that a coordinator keeps on disk survives a change of the broker; state in its memory does not.
 * Owner of the loop only.
 */
public final class GroupCoordinator {
  private final Cluster cluster;
  private final TreeMap<String, Hosted> groups = new TreeMap<>();
  private final Map<String, GroupOffsets> offsets = new HashMap<>();
  private final PendingOffsets pending = new PendingOffsets();
  /** The watched partitions of the offsets topic: a new leader coordinates their groups. */
  private final Set<Partition> watched = new HashSet<>();
  private long commits;

  /** A group, and the life of the broker that coordinates it. */
  private static final class Hosted {
    private Group group;
    private int broker;
    private int incarnation;

    Hosted(Group group, @Nullable Broker host) {
      this.group = group;
      this.broker = host == null ? -1 : host.id();
      this.incarnation = host == null ? 0 : host.incarnation();
    }

    /** Returns true if another broker than before coordinates the group. A dead broker does not count yet. */
    boolean moveTo(@Nullable Broker host) {
      if (host == null || (host.id() == broker && host.incarnation() == incarnation)) {
        return false;
      }
      broker = host.id();
      incarnation = host.incarnation();
      return true;
    }
  }

  public GroupCoordinator(Cluster cluster) {
    this.cluster = cluster;
    cluster.onReset(this::clear);
  }

  private void clear() {
    groups.values().forEach(hosted -> hosted.group.end());
    groups.clear();
    offsets.clear();
    pending.clear();
    watched.clear();
  }

  /** Returns the cluster. */
  public Cluster cluster() {
    return cluster;
  }

  /** Returns true if the broker of the request coordinates a group; otherwise it responds NOT_COORDINATOR. */
  public boolean isAt(RequestContext context, String groupId) {
    return cluster.coordinators().isAt(context.broker(), Coordinators.Type.GROUP, groupId);
  }

  /**
   * Returns true if the broker of the request coordinates a group and has room for its commits: as in Kafka, a broker
   * with a full disk responds NOT_COORDINATOR.
   */
  public boolean canStoreAt(RequestContext context, String groupId) {
    return isAt(context, groupId)
        && cluster.hasRoom(cluster.coordinators().partition(Coordinators.Type.GROUP, groupId));
  }

  /** Returns a group, or null. */
  public @Nullable Group find(String groupId) {
    Hosted hosted = groups.get(groupId);
    if (hosted == null) {
      return null;
    }
    followCoordinator(groupId);
    return hosted.group;
  }

  /** Returns all groups that a broker coordinates, by name. */
  Collection<Group> at(Broker broker) {
    return groups.entrySet().stream()
        .filter(e -> cluster.coordinators().isAt(broker, Coordinators.Type.GROUP, e.getKey()))
        .map(e -> e.getValue().group).toList();
  }

  /** Adds a group, or replaces an empty one of the same name. */
  public void put(Group group) {
    Hosted old = groups.get(group.id());
    if (old == null) {
      groups.put(group.id(), new Hosted(group, cluster.coordinators().of(Coordinators.Type.GROUP, group.id())));
      Partition partition = cluster.coordinators().partition(Coordinators.Type.GROUP, group.id());
      if (watched.add(partition)) {
        partition.watch(() -> followCoordinators(partition));
      }
    } else {
      old.group.end();
      old.group = group;
    }
  }

  private void followCoordinators(Partition partition) {
    for (String groupId : List.copyOf(groups.keySet())) {
      if (cluster.coordinators().partition(Coordinators.Type.GROUP, groupId).equals(partition)) {
        followCoordinator(groupId);
      }
    }
  }

  /** Moves the group to its present coordinator. */
  private void followCoordinator(String groupId) {
    Hosted hosted = groups.get(groupId);
    if (hosted != null && hosted.moveTo(cluster.coordinators().of(Coordinators.Type.GROUP, groupId))) {
      hosted.group.moved();
    }
  }

  /** Returns the group for offsets that no member commits, and creates it if needed. */
  private Group findOrMakeSimple(String groupId) {
    Group group = find(groupId);
    if (group == null) {
      group = new ClassicGroup(groupId, cluster);
      put(group);
    }
    return group;
  }

  /** Returns the offsets of a group. */
  GroupOffsets offsets(String groupId) {
    return offsets.computeIfAbsent(groupId, id -> new GroupOffsets(cluster));
  }

  /** Returns the offsets of open transactions. */
  PendingOffsets pending() {
    return pending;
  }

  /**
   * Returns why a broker does not store an offset.
   *
   * @return {@link ErrorCode#NONE} if it does
   */
  public ErrorCode problemOf(CommittedOffset offset) {
    return offset.metadata().length() > cluster.settings().getInt("offset.metadata.max.bytes")
        ? ErrorCode.OFFSET_METADATA_TOO_LARGE
        : ErrorCode.NONE;
  }

  /**
   * Commits offsets outside of a transaction.
   *
   * @param committer the client
   * @param version version of the OffsetCommit request
   * @param values offsets without a {@linkplain #problemOf problem}, of existing partitions
   */
  ErrorCode commit(Committer committer, short version, Map<TopicPartition, CommittedOffset> values) {
    Group group = find(committer.groupId());
    if (group == null && committer.generation() >= 0) {
      return version >= OffsetCommitHandler.FIRST_OF_MEMBER_EPOCHS
          ? ErrorCode.GROUP_ID_NOT_FOUND
          : ErrorCode.ILLEGAL_GENERATION;
    }
    group = findOrMakeSimple(committer.groupId());
    ErrorCode error = group.checkCommit(committer, false);
    boolean isOfEpochs = group instanceof ConsumerGroup consumers && consumers.member(committer.memberId()) != null;
    if (isOfEpochs && version < OffsetCommitHandler.FIRST_OF_MEMBER_EPOCHS) {
      return ErrorCode.UNSUPPORTED_VERSION;
    }
    if (error == ErrorCode.NONE) {
      group.committed(committer.memberId());
      offsets(committer.groupId()).store(entries(values));
    }
    return error;
  }

  /**
   * Adds offsets to a producer's transaction, whose commit makes them effective. The caller has checked that the broker
   * coordinates the group, and that the transaction is open.
   *
   * @param committer the client
   * @param producerId producer of the transaction
   * @param values offsets without a {@linkplain #problemOf problem}, of existing partitions
   * @return why none of them was added, or {@link ErrorCode#NONE}
   */
  public ErrorCode commitTransactional(Committer committer, long producerId,
      Map<TopicPartition, CommittedOffset> values) {
    if (find(committer.groupId()) == null && committer.generation() >= 0) {
      return ErrorCode.ILLEGAL_GENERATION;
    }
    ErrorCode error = findOrMakeSimple(committer.groupId()).checkCommit(committer, true);
    if (error == ErrorCode.NONE) {
      pending.add(producerId, committer.groupId(), entries(values));
    }
    return error == ErrorCode.STALE_MEMBER_EPOCH ? ErrorCode.ILLEGAL_GENERATION : error;
  }

  /**
   * Ends the transaction of a producer for all groups; does nothing if it has no offsets.
   *
   * @param producerId producer of the transaction
   * @param isCommit true to make its offsets effective
   */
  public void endTransaction(long producerId, boolean isCommit) {
    if (isCommit) {
      pending.commit(producerId, (groupId, entries) -> offsets(groupId).store(entries));
    } else {
      pending.abort(producerId);
    }
  }

  private Map<TopicPartition, GroupOffsets.Entry> entries(Map<TopicPartition, CommittedOffset> values) {
    Map<TopicPartition, GroupOffsets.Entry> entries = new LinkedHashMap<>();
    values.forEach((partition, value) -> {
      Topic topic = cluster.topics().named(partition.topic());
      entries.put(partition, new GroupOffsets.Entry(value, topic == null ? Uuid.ZERO : topic.id(), ++commits));
    });
    return entries;
  }

  /**
   * Expires the session of a member, as after its timeout.
   *
   * @param groupId id of the group
   * @param member a member id, a group instance id, or the client id of one or several members
   * @throws IllegalArgumentException if there is no such group or member
   */
  public void expire(String groupId, String member) {
    Group group = find(groupId);
    if (group == null) {
      throw new IllegalArgumentException("there is no group " + groupId + "; there are " + groups.keySet());
    }
    if (!group.expire(member)) {
      throw new IllegalArgumentException("no member has the member id, instance id or client id " + member + " in "
          + group);
    }
  }

  /** Returns the committed offsets of all groups, by group. */
  public Map<String, Map<TopicPartition, CommittedOffset>> allOffsets() {
    Map<String, Map<TopicPartition, CommittedOffset>> all = new HashMap<>();
    offsets.forEach((groupId, ofGroup) -> {
      Map<TopicPartition, CommittedOffset> values = new LinkedHashMap<>();
      ofGroup.all().forEach((partition, entry) -> values.put(partition, entry.value()));
      all.put(groupId, values);
    });
    return all;
  }

  /** Restores the offsets of groups, which have no members. */
  public void restoreOffsets(Map<String, Map<TopicPartition, CommittedOffset>> all) {
    all.forEach((groupId, values) -> {
      Group unused = findOrMakeSimple(groupId);
      offsets(groupId).store(entries(values));
    });
  }

  /** Deletes a group with its offsets. */
  void delete(String groupId) {
    Hosted removed = groups.remove(groupId);
    if (removed != null) {
      removed.group.end();
    }
    offsets.remove(groupId);
    pending.forget(groupId);
  }
}

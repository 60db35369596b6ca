package dev.decant.kafka.cluster;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The topics whose metadata the client needs, and the times of the requests for them. A topic stays while a {@link
 * TopicUser} needs it, a caller waits for it, or a producer has used it within {@code metadata.max.idle.ms} (KIP-526).
 * It is dropped with the next request for all topics.
 *
 * <p>New and stale topics are requested alone; all topics are requested by age, and when the whole cluster may have
 * changed. Responses without news make the pauses grow, more for a missing topic than for one that waits for a leader.
 *
 * <p>Brokers create topics in response to a request only if each of its topics is wanted now. A producer once named
 * every topic that it ever wrote to, so a deleted topic came back.
 *
 * <p>Owner of the loop only. The class has no clock and sends nothing.
 */
final class TopicInterest {
  /** The shortest pause between two requests for the same topic. */
  static final long RETRY_NANOS = 100_000_000L;
  /** Responses in a row without news after which each further one doubles the pause. */
  private static final int QUICK_RESPONSES = 10;
  private static final int MOST_DOUBLINGS = 3;
  /** The longest pause for a topic or partition that is missing and that no caller waits for. */
  private static final long GONE_NANOS = 5_000_000_000L;
  private static final int MOST_DOUBLINGS_IF_GONE = 6;
  /** Time without a request after which the pauses begin short again. */
  private static final long QUIET_NANOS = 1_000_000_000L;
  private static final long DEFAULT_IDLE_NANOS = 300_000_000_000L;

  /** State of one topic. */
  private static final class Topic {
    /** The end of a producer's use. */
    long keptUntilNanos;
    /** When callers no longer wait. */
    long awaitedUntilNanos;
    /** Number of partitions that the waiting callers need. */
    int awaitedPartitions;
    /** True while a caller that does not know the last response waits for the next one. */
    boolean isRequested;
    boolean hasResponse;
    long respondedNanos;
    /** Number of responses in a row that were equal to the one before. */
    int sameResponses;

    Topic(long now) {
      keptUntilNanos = now;
      awaitedUntilNanos = now;
    }
  }

  private final long refreshNanos;
  /** How long a topic stays after a producer's last use. Set before the first request. */
  private long idleNanos = DEFAULT_IDLE_NANOS;
  /** True if brokers may create topics that are wanted. Set before the first request. */
  private boolean mayCreate;
  private final Map<String, Topic> topics = new HashMap<>();
  /** Topics to request, in the order of the calls. A response removes its topics. */
  private final Set<String> wanted = new LinkedHashSet<>();
  private final List<TopicUser> users = new ArrayList<>();
  /** True while all topics are to be requested: at first, or after stale metadata that belongs to no single topic. */
  private boolean everythingWanted = true;
  private long everythingWantedNanos;
  /** True if the last request named some topics, so the next one may name all. */
  private boolean lastWasPartial;
  private boolean hasEverything;
  /** When topics without a response are due: a time in the past. */
  private final long beginNanos;
  private long everythingNanos;
  private int sameResponses;

  /**
   * Makes an interest in no topic.
   *
   * @param refreshNanos the age at which all topics are requested again
   */
  TopicInterest(long now, long refreshNanos) {
    this.refreshNanos = refreshNanos;
    this.beginNanos = now;
    this.everythingNanos = now - QUIET_NANOS;
    this.everythingWantedNanos = now - QUIET_NANOS;
  }

  long idleNanos() {
    return idleNanos;
  }

  void idleNanos(long nanos) {
    idleNanos = nanos;
  }

  void mayCreate(boolean value) {
    mayCreate = value;
  }

  boolean mayCreate() {
    return mayCreate;
  }

  void addUser(TopicUser user) {
    users.add(user);
  }

  void removeUser(TopicUser user) {
    users.remove(user);
  }

  /** Adds a topic that a user needs from now on. */
  void add(String name, @Nullable TopicMetadata known, long now) {
    boolean isNew = !topics.containsKey(name);
    if (isNew || !isUsable(known)) {
      request(name, now);
    }
  }

  /** Requests a topic, whatever is known, as soon as its last response is {@link #RETRY_NANOS} old. */
  void request(String name, long now) {
    topic(name, now).isRequested = true;
    wanted.add(name);
  }

  /** Notes that a producer has used the topic, or is about to. */
  void use(String name, long now) {
    topic(name, now).keptUntilNanos = now + idleNanos;
  }

  /** Requests a topic repeatedly while a caller waits for it to have a number of partitions. */
  void await(String name, int partitions, long untilNanos, long now) {
    Topic topic = topic(name, now);
    if (topic.awaitedUntilNanos - now <= 0) { // no other caller waits
      topic.awaitedUntilNanos = now;
      topic.awaitedPartitions = 0;
      topic.sameResponses = 0;
    }
    if (untilNanos - topic.awaitedUntilNanos > 0) {
      topic.awaitedUntilNanos = untilNanos;
    }
    topic.awaitedPartitions = Math.max(topic.awaitedPartitions, partitions);
    wanted.add(name);
  }

  /** Requests a topic whose metadata was found stale. */
  void want(String name, long now) {
    topic(name, now);
    wanted.add(name);
  }

  /** Requests everything, because metadata of the cluster was found stale. */
  void wantEverything(ClusterSnapshot snapshot, long now) {
    if (now - everythingWantedNanos >= QUIET_NANOS) {
      sameResponses = 0;
      for (String name : wanted) {
        if (waitsForLeader(snapshot.topic(name))) {
          topic(name, now).sameResponses = 0;
        }
      }
    }
    everythingWantedNanos = now;
    everythingWanted = true;
  }

  private Topic topic(String name, long now) {
    return topics.computeIfAbsent(name, unknown -> new Topic(now));
  }

  /** Returns the time at which a wanted topic may be requested. */
  long dueNanos(String name, ClusterSnapshot snapshot) {
    return dueNanos(topics.get(name), snapshot.topic(name));
  }

  /** Returns the time of the next request; a time in the past if there is nothing to wait for. */
  long dueNanos(ClusterSnapshot snapshot) {
    long due = everythingDueNanos();
    for (String name : wanted) {
      long topicDue = dueNanos(topics.get(name), snapshot.topic(name));
      due = topicDue - due < 0 ? topicDue : due;
    }
    return due;
  }

  long everythingDueNanos() {
    if (everythingWanted) {
      return everythingNanos + pause(sameResponses, MOST_DOUBLINGS);
    }
    return everythingNanos + refreshNanos;
  }

  private long dueNanos(@Nullable Topic topic, @Nullable TopicMetadata known) {
    if (topic == null || !topic.hasResponse) {
      return beginNanos;
    }
    if (topic.isRequested) {
      return topic.respondedNanos + RETRY_NANOS;
    }
    boolean isSoon = topic.awaitedUntilNanos - topic.respondedNanos > 0 || waitsForLeader(known);
    long pause = isSoon
        ? pause(topic.sameResponses, MOST_DOUBLINGS)
        : Math.min(GONE_NANOS, pause(topic.sameResponses, MOST_DOUBLINGS_IF_GONE));
    return topic.respondedNanos + pause;
  }

  private static long pause(int sameResponses, int mostDoublings) {
    return RETRY_NANOS << Math.clamp(sameResponses - QUICK_RESPONSES, 0, mostDoublings);
  }

  /**
   * Returns true for a topic that may have a leader any moment. A missing topic, or one with a missing partition,
   * seldom comes back.
   */
  private static boolean waitsForLeader(@Nullable TopicMetadata known) {
    return known != null && (known.error() == ErrorCode.LEADER_NOT_AVAILABLE
        || (known.error() == ErrorCode.NONE && !hasLeaders(known)));
  }

  private static boolean hasLeaders(TopicMetadata topic) {
    return topic.partitions().stream().allMatch(p -> p.leaderId() >= 0);
  }

  static boolean isUsable(@Nullable TopicMetadata known) {
    return known != null && known.error() == ErrorCode.NONE;
  }

  /**
   * Returns the content of the next request. It has all topics that are due. It also has topics that a caller waits
   * for, even if they are not due: the response to this request must report them.
   */
  RequestedTopics nextRequest(ClusterSnapshot snapshot, long now) {
    Set<String> some = new LinkedHashSet<>();
    for (String name : wanted) {
      Topic topic = topics.get(name);
      if (topic == null || topic.isRequested || dueNanos(topic, snapshot.topic(name)) - now <= 0) {
        some.add(name);
      }
    }
    boolean isEverythingDue = everythingDueNanos() - now <= 0 || some.isEmpty();
    if (!isEverythingDue || (mayCreate && !lastWasPartial && !some.isEmpty() && hasEverything)) {
      lastWasPartial = true; // requests take turns, so neither new topics nor old metadata wait for the other
      return new RequestedTopics(some, false, mayCreate);
    }
    lastWasPartial = false;
    dropUnneeded(now);
    Set<String> all = Set.copyOf(topics.keySet());
    return new RequestedTopics(all, true, mayCreate && some.containsAll(all));
  }

  private void dropUnneeded(long now) {
    Set<String> needed = needed();
    topics.entrySet().removeIf(entry -> {
      Topic topic = entry.getValue();
      boolean isKept = topic.keptUntilNanos - now > 0 || topic.awaitedUntilNanos - now > 0 || topic.isRequested;
      return !isKept && !needed.contains(entry.getKey());
    });
    wanted.retainAll(topics.keySet());
    needed.forEach(name -> topic(name, now));
  }

  private Set<String> needed() {
    Set<String> needed = new HashSet<>();
    for (int i = 0; i < users.size(); i++) {
      users.get(i).addTopics(needed);
    }
    return needed;
  }

  /** Takes a response, after which the second snapshot holds. */
  void responded(RequestedTopics requested, ClusterSnapshot before, ClusterSnapshot after, long now) {
    Set<String> needed = null;
    for (String name : requested.topics()) {
      wanted.remove(name);
      Topic topic = topics.get(name);
      if (topic == null) {
        continue;
      }
      TopicMetadata known = after.topic(name);
      topic.sameResponses = isSame(before.topic(name), known) ? topic.sameResponses + 1 : 0;
      topic.isRequested = false;
      topic.hasResponse = true;
      topic.respondedNanos = now;
      boolean isAwaited = topic.awaitedUntilNanos - now > 0;
      if (isComplete(known, isAwaited ? topic.awaitedPartitions : 0)) {
        topic.awaitedUntilNanos = now;
      } else {
        needed = needed == null ? needed() : needed;
        if (isAwaited || needed.contains(name)) {
          wanted.add(name);
        }
      }
    }
    if (requested.everything()) {
      boolean isSame = before.brokers().equals(after.brokers()) && requested.topics().stream()
          .allMatch(name -> isSame(before.topic(name), after.topic(name)));
      sameResponses = isSame ? sameResponses + 1 : 0;
      everythingWanted = false;
      hasEverything = true;
      everythingNanos = now;
    }
  }

  /**
   * Returns true if a topic has no error, a leader for each partition, and the number of partitions that callers wait
   * for.
   */
  private static boolean isComplete(@Nullable TopicMetadata topic, int partitions) {
    return topic != null && isUsable(topic) && hasLeaders(topic) && topic.partitions().size() >= partitions;
  }

  private static boolean isSame(@Nullable TopicMetadata before, @Nullable TopicMetadata now) {
    if (before == null || now == null) {
      return before == null && now == null;
    }
    if (before.error() != now.error() || !before.id().equals(now.id())
        || before.partitions().size() != now.partitions().size()) {
      return false;
    }
    for (int p = 0; p < now.partitions().size(); p++) {
      PartitionMetadata known = before.partitions().get(p);
      PartitionMetadata later = now.partitions().get(p);
      if (known.leaderId() != later.leaderId() || known.leaderEpoch() != later.leaderEpoch()) {
        return false;
      }
    }
    return true;
  }
}

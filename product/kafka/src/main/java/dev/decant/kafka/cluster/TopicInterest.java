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
 * The topics that metadata is needed of, and when to ask for which. A topic stays as long as a {@link TopicUser} needs
 * it, somebody waits for it, or a producer has used it within {@code metadata.max.idle.ms} (KIP-526). It is dropped
 * when everything is asked for.
 *
 * <p>New topics and those that were found stale are asked for alone; everything is asked for by age, and when the whole
 * cluster may have changed. Responses that bring no news make the pauses grow: of a topic that is gone, more than of
 * one that waits for a leader. Brokers create topics in response to a request only if each of its topics is wanted now:
 * a topic that was deleted stays so until somebody uses it again.
 *
 * <p>Owner of the loop only. It has no clock and sends nothing.
 */
final class TopicInterest {
  /** The least pause between two requests for the same. */
  static final long RETRY_NANOS = 100_000_000L;
  /** Responses in a row without news after which the pause doubles with each. */
  private static final int QUICK_RESPONSES = 10;
  private static final int MOST_DOUBLINGS = 3;
  /** The longest pause for a topic or partition that is gone and that nobody waits for. */
  private static final long GONE_NANOS = 5_000_000_000L;
  private static final int MOST_DOUBLINGS_IF_GONE = 6;
  /** A request after so long without one begins with short pauses again. */
  private static final long QUIET_NANOS = 1_000_000_000L;
  private static final long DEFAULT_IDLE_NANOS = 300_000_000_000L;

  /** What is known of one topic. */
  private static final class Topic {
    /** A producer's use of it ends then. */
    long keptUntilNanos;
    /** Somebody waits for it until then. */
    long awaitedUntilNanos;
    /** How many partitions those who wait need. */
    int awaitedPartitions;
    /** Somebody has asked for it who does not know the last response. */
    boolean isAsked;
    boolean wasAnswered;
    long answeredNanos;
    /** Responses in a row that said the same as the one before. */
    int sameResponses;

    Topic(long now) {
      keptUntilNanos = now;
      awaitedUntilNanos = now;
    }
  }

  private final long refreshNanos;
  /** How long a topic stays after a producer's last use. Set before the first request. */
  private long idleNanos = DEFAULT_IDLE_NANOS;
  /** Whether brokers may create topics that somebody wants. Set before the first request. */
  private boolean mayCreate;
  private final Map<String, Topic> topics = new HashMap<>();
  /** Topics to ask for, in the order in which that was found out. A response that has them takes them out. */
  private final Set<String> wanted = new LinkedHashSet<>();
  private final List<TopicUser> users = new ArrayList<>();
  /** Something was found to be stale that no topic tells. */
  private boolean everythingWanted = true;
  private long everythingWantedNanos;
  /** The last request was for some topics; so the next one may be for everything. */
  private boolean askedForSome;
  private boolean hasEverything;
  /** In the past: when topics without a response are due. */
  private final long beginNanos;
  private long everythingNanos;
  private int sameResponses;

  /**
   * Nothing is known yet.
   *
   * @param now the time
   * @param refreshNanos how long metadata is used before everything is asked for anew
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

  /** A user needs the topic from now on. */
  void add(String name, @Nullable TopicMetadata known, long now) {
    boolean isNew = !topics.containsKey(name);
    if (isNew || !isUsable(known)) {
      ask(name, now);
    }
  }

  /** Asks for a topic whatever is known of it, as soon as its last response is not too recent. */
  void ask(String name, long now) {
    topic(name, now).isAsked = true;
    wanted.add(name);
  }

  /** A producer has used the topic, or is about to. */
  void use(String name, long now) {
    topic(name, now).keptUntilNanos = now + idleNanos;
  }

  /** Somebody waits until then for a topic to have so many partitions; it is asked for again and again. */
  void await(String name, int partitions, long untilNanos, long now) {
    Topic topic = topic(name, now);
    if (topic.awaitedUntilNanos - now <= 0) { // nobody has waited
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

  /** What is known of a topic was found to be stale. */
  void want(String name, long now) {
    topic(name, now);
    wanted.add(name);
  }

  /** What is known of the cluster was found to be stale. */
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

  /** When a topic that is wanted may be asked for. */
  long dueNanos(String name, ClusterSnapshot snapshot) {
    return dueNanos(topics.get(name), snapshot.topic(name));
  }

  /** When the next request is due; in the past if there is nothing to wait for. */
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
    if (topic == null || !topic.wasAnswered) {
      return beginNanos;
    }
    if (topic.isAsked) {
      return topic.answeredNanos + RETRY_NANOS;
    }
    boolean isSoon = topic.awaitedUntilNanos - topic.answeredNanos > 0 || waitsForLeader(known);
    long pause = isSoon
        ? pause(topic.sameResponses, MOST_DOUBLINGS)
        : Math.min(GONE_NANOS, pause(topic.sameResponses, MOST_DOUBLINGS_IF_GONE));
    return topic.answeredNanos + pause;
  }

  private static long pause(int sameResponses, int mostDoublings) {
    return RETRY_NANOS << Math.clamp(sameResponses - QUICK_RESPONSES, 0, mostDoublings);
  }

  /** A topic without a leader may have one any moment; one that is gone, or whose partition is, seldom comes back. */
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
   * What to ask for now. It names what is due, and what somebody has asked for even if it is not: so the next response
   * to a request that is made from now on tells of that.
   */
  MetadataQuestion question(ClusterSnapshot snapshot, long now) {
    Set<String> some = new LinkedHashSet<>();
    for (String name : wanted) {
      Topic topic = topics.get(name);
      if (topic == null || topic.isAsked || dueNanos(topic, snapshot.topic(name)) - now <= 0) {
        some.add(name);
      }
    }
    boolean isEverythingDue = everythingDueNanos() - now <= 0 || some.isEmpty();
    if (!isEverythingDue || (mayCreate && !askedForSome && !some.isEmpty() && hasEverything)) {
      askedForSome = true; // in turns: neither new topics nor old metadata wait for the other
      return new MetadataQuestion(some, false, mayCreate);
    }
    askedForSome = false;
    dropUnneeded(now);
    Set<String> all = Set.copyOf(topics.keySet());
    return new MetadataQuestion(all, true, mayCreate && some.containsAll(all));
  }

  private void dropUnneeded(long now) {
    Set<String> needed = needed();
    topics.entrySet().removeIf(entry -> {
      Topic topic = entry.getValue();
      boolean isKept = topic.keptUntilNanos - now > 0 || topic.awaitedUntilNanos - now > 0 || topic.isAsked;
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

  /** A response has come, after which the second snapshot is what is known. */
  void answered(MetadataQuestion question, ClusterSnapshot before, ClusterSnapshot after, long now) {
    Set<String> needed = null;
    for (String name : question.topics()) {
      wanted.remove(name);
      Topic topic = topics.get(name);
      if (topic == null) {
        continue;
      }
      TopicMetadata known = after.topic(name);
      topic.sameResponses = saysTheSame(before.topic(name), known) ? topic.sameResponses + 1 : 0;
      topic.isAsked = false;
      topic.wasAnswered = true;
      topic.answeredNanos = now;
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
    if (question.everything()) {
      boolean isSame = before.brokers().equals(after.brokers()) && question.topics().stream()
          .allMatch(name -> saysTheSame(before.topic(name), after.topic(name)));
      sameResponses = isSame ? sameResponses + 1 : 0;
      everythingWanted = false;
      hasEverything = true;
      everythingNanos = now;
    }
  }

  /** Without an error, with a leader for each partition, and with as many partitions as somebody waits for. */
  private static boolean isComplete(@Nullable TopicMetadata topic, int partitions) {
    return topic != null && isUsable(topic) && hasLeaders(topic) && topic.partitions().size() >= partitions;
  }

  private static boolean saysTheSame(@Nullable TopicMetadata before, @Nullable TopicMetadata now) {
    if (before == null || now == null) {
      return before == null && now == null;
    }
    if (before.error() != now.error() || !before.id().equals(now.id())
        || before.partitions().size() != now.partitions().size()) {
      return false;
    }
    for (int p = 0; p < now.partitions().size(); p++) {
      PartitionMetadata known = before.partitions().get(p);
      PartitionMetadata told = now.partitions().get(p);
      if (known.leaderId() != told.leaderId() || known.leaderEpoch() != told.leaderEpoch()) {
        return false;
      }
    }
    return true;
  }
}

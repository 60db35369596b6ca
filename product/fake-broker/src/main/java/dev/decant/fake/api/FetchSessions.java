package dev.decant.fake.api;

import dev.decant.fake.api.FetchedPartition.PartitionKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchRequest.FetchTopic;
import dev.decant.kafka.protocol.message.FetchRequest.ForgottenTopic;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * The fetch sessions of one life of a broker (KIP-227). Without a free slot a new session evicts another one: a session
 * unused for two minutes, or a smaller one that is older than that.
 */
final class FetchSessions {
  static final int NO_SESSION = 0;
  private static final int FIRST_WITH_SESSIONS = 7;
  private static final int FIRST_WITH_IDS = 13;
  private static final int INITIAL_EPOCH = 0;
  private static final int FINAL_EPOCH = -1;
  private static final long EVICTION_MILLIS = 120_000;

  /** The sessions by id, in the order of their last use. */
  private final Map<Integer, Session> sessions = new LinkedHashMap<>();
  private final int mostSessions;
  private final LongSupplier nowMillis;

  /** The partitions of a fetch: those of the request alone, or those of a session. */
  static final class Session {
    private final boolean usesIds;
    private final LinkedHashMap<PartitionKey, FetchedPartition> partitions = new LinkedHashMap<>();
    private int id;
    private int epoch = 1;
    private long madeMillis;
    private long usedMillis;
    /** True if the response has only partitions with news (KIP-227). */
    private boolean isIncremental;

    Session(boolean usesIds) {
      this.usesIds = usesIds;
    }

    int id() {
      return id;
    }

    boolean isIncremental() {
      return isIncremental;
    }

    Collection<FetchedPartition> partitions() {
      return partitions.values();
    }

    /** Moves a partition that had records behind the others, so that each has its turn. */
    void moveToEnd(FetchedPartition partition) {
      partitions.remove(partition.key());
      partitions.put(partition.key(), partition);
    }

    private void update(FetchRequest request) {
      for (FetchTopic topic : request.topics()) {
        for (FetchPartition one : topic.partitions()) {
          PartitionKey key = new PartitionKey(topic.topic(), topic.topicId(), one.partition());
          FetchedPartition known = partitions.get(key);
          if (known == null) {
            partitions.put(key, new FetchedPartition(key, one));
          } else {
            known.request(one);
          }
        }
      }
      for (ForgottenTopic topic : request.forgottenTopicsData()) {
        topic.partitions().forEach(p -> partitions.remove(new PartitionKey(topic.topic(), topic.topicId(), p)));
      }
    }
  }

  FetchSessions(int mostSessions, LongSupplier nowMillis) {
    this.mostSessions = mostSessions;
    this.nowMillis = nowMillis;
  }

  /** Returns the error of a whole request whose session is unknown or at another epoch. */
  ErrorCode problemOf(FetchRequest request, short version) {
    if (!isIncremental(request, version)) {
      return ErrorCode.NONE;
    }
    Session session = sessions.get(request.sessionId());
    if (session == null) {
      return ErrorCode.FETCH_SESSION_ID_NOT_FOUND;
    }
    if (session.epoch != request.sessionEpoch()) {
      return ErrorCode.INVALID_FETCH_SESSION_EPOCH;
    }
    return session.usesIds == usesIds(version) ? ErrorCode.NONE : ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR;
  }

  private static boolean isIncremental(FetchRequest request, short version) {
    return version >= FIRST_WITH_SESSIONS && request.sessionEpoch() != INITIAL_EPOCH
        && request.sessionEpoch() != FINAL_EPOCH;
  }

  private static boolean usesIds(short version) {
    return version >= FIRST_WITH_IDS;
  }

  /** Returns the session of a valid request; a fetch without a session has the id {@link #NO_SESSION}. */
  Session sessionOf(FetchRequest request, short version) {
    if (isIncremental(request, version)) {
      Session session = known(request.sessionId());
      session.update(request);
      session.epoch = session.epoch == Integer.MAX_VALUE ? 1 : session.epoch + 1;
      session.isIncremental = true;
      session.usedMillis = nowMillis.getAsLong();
      sessions.remove(session.id);
      sessions.put(session.id, session);
      if (session.partitions.isEmpty()) {
        sessions.remove(session.id);
        return new Session(session.usesIds);
      }
      return session;
    }
    if (version >= FIRST_WITH_SESSIONS) {
      sessions.remove(request.sessionId());
    }
    Session session = new Session(usesIds(version));
    session.update(request);
    boolean isWanted = version >= FIRST_WITH_SESSIONS && request.sessionEpoch() == INITIAL_EPOCH;
    if (isWanted && (sessions.size() < mostSessions || makesRoomFor(session))) {
      session.id = newId();
      session.madeMillis = nowMillis.getAsLong();
      session.usedMillis = session.madeMillis;
      sessions.put(session.id, session);
    }
    return session;
  }

  private boolean makesRoomFor(Session session) {
    if (sessions.isEmpty()) {
      return false;
    }
    long now = nowMillis.getAsLong();
    Session oldest = sessions.values().iterator().next();
    if (now - oldest.usedMillis > EVICTION_MILLIS) {
      sessions.remove(oldest.id);
      return true;
    }
    Session smallest = null;
    for (Session one : sessions.values()) {
      if (now - one.madeMillis > EVICTION_MILLIS
          && (smallest == null || one.partitions.size() < smallest.partitions.size())) {
        smallest = one;
      }
    }
    if (smallest == null || session.partitions.size() < smallest.partitions.size()) {
      return false;
    }
    sessions.remove(smallest.id);
    return true;
  }

  private Session known(int id) {
    Session session = sessions.get(id);
    if (session == null) {
      throw new IllegalStateException("fetch session " + id + " was there a moment ago");
    }
    return session;
  }

  private int newId() {
    int id;
    do {
      id = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
    } while (sessions.containsKey(id));
    return id;
  }
}

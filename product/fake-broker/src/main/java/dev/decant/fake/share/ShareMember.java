package dev.decant.fake.share;

import dev.decant.fake.api.RequestContext;
import dev.decant.loop.Timer;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A member of a {@link ShareGroup}, whose owner alone changes it. */
final class ShareMember {
  private final String id;
  private final Timer session;
  private String clientId = "";
  private String clientHost = "";
  private @Nullable String rack;
  private TreeSet<String> topics = new TreeSet<>();
  private int epoch;
  private int previousEpoch;
  private Set<ShareKey> assigned = Set.of();

  ShareMember(String id, Runnable onSessionEnd) {
    this.id = id;
    this.session = new Timer(onSessionEnd);
  }

  String id() {
    return id;
  }

  Timer session() {
    return session;
  }

  String clientId() {
    return clientId;
  }

  String clientHost() {
    return clientHost;
  }

  @Nullable
  String rack() {
    return rack;
  }

  Set<String> topics() {
    return topics;
  }

  /** Takes what a heartbeat says; null leaves it as it was. Returns whether the topics are other ones. */
  boolean describe(RequestContext context, @Nullable String newRack, @Nullable List<String> newTopics) {
    clientId = Objects.requireNonNullElse(context.clientId(), "");
    clientHost = context.clientHost();
    rack = newRack == null ? rack : newRack;
    TreeSet<String> next = newTopics == null ? topics : new TreeSet<>(newTopics);
    boolean isOther = !next.equals(topics);
    topics = next;
    return isOther;
  }

  int epoch() {
    return epoch;
  }

  int previousEpoch() {
    return previousEpoch;
  }

  void epoch(int next) {
    previousEpoch = epoch;
    epoch = next;
  }

  /** What it may read. */
  Set<ShareKey> assigned() {
    return assigned;
  }

  void assign(Collection<ShareKey> partitions) {
    assigned = Set.copyOf(partitions);
  }

  @Override
  public String toString() {
    return id + " epoch " + epoch + " " + assigned;
  }
}

package dev.decant.fake.group;

import dev.decant.fake.api.RequestContext;
import dev.decant.loop.Timer;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A member of a {@link ModernGroup}, whose owner alone changes it. */
public abstract class ModernMember {
  private final String id;
  private final Timer session;
  private String clientId = "";
  private String clientHost = "";
  private @Nullable String rack;
  private TreeSet<String> topics = new TreeSet<>();
  private int epoch;
  private int previousEpoch;

  /**
   * Creates a member that has not been heard of.
   *
   * @param id its id
   * @param onSessionEnd runs when it has not been heard of for too long
   */
  protected ModernMember(String id, Runnable onSessionEnd) {
    this.id = id;
    this.session = new Timer(onSessionEnd);
  }

  /** Takes what a heartbeat says; null leaves it as it was. Returns whether the topics are other ones. */
  protected final boolean describe(RequestContext context, @Nullable String newRack,
      @Nullable Collection<String> newTopics) {
    clientId = Objects.requireNonNullElse(context.clientId(), "");
    clientHost = context.clientHost();
    rack = newRack == null ? rack : newRack;
    TreeSet<String> next = newTopics == null ? topics : new TreeSet<>(newTopics);
    boolean isOther = !next.equals(topics);
    topics = next;
    return isOther;
  }

  /** Takes the rack and the topics of another member. */
  protected final void inherit(ModernMember former) {
    rack = former.rack;
    topics = former.topics;
  }

  /** Its id. */
  public final String id() {
    return id;
  }

  /** Ends its membership unless it is heard of. */
  final Timer session() {
    return session;
  }

  /** What its client calls itself; empty for nothing. */
  public final String clientId() {
    return clientId;
  }

  /** The address of its client. */
  public final String clientHost() {
    return clientHost;
  }

  /** Its rack; null if it has said none. */
  public final @Nullable String rack() {
    return rack;
  }

  /** The topics that it subscribes to by their names. */
  public final Set<String> topics() {
    return topics;
  }

  /** The epoch that it has reached. */
  public final int epoch() {
    return epoch;
  }

  /** The epoch before, which counts for a member whose response was lost. */
  public final int previousEpoch() {
    return previousEpoch;
  }

  /** Has it reach an epoch. */
  public final void epoch(int next) {
    previousEpoch = next == epoch ? previousEpoch : epoch;
    epoch = next;
  }

  /** Whether a test means this member: by its id or its client id. */
  protected boolean isCalled(String name) {
    return name.equals(id) || name.equals(clientId);
  }
}

package dev.decant.fake.group;

import dev.decant.fake.api.RequestContext;
import dev.decant.loop.Timer;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A member of a {@link ModernGroup}, which alone changes it. */
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
   * Creates a member whose session timeout has not started.
   *
   * @param onSessionEnd runs after the session timeout
   */
  protected ModernMember(String id, Runnable onSessionEnd) {
    this.id = id;
    this.session = new Timer(onSessionEnd);
  }

  /** Takes over the fields of a heartbeat; null changes nothing. Returns true if the topics have changed. */
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

  /** Takes over the rack and the topics of another member. */
  protected final void inherit(ModernMember former) {
    rack = former.rack;
    topics = former.topics;
  }

  /** Returns the member id. */
  public final String id() {
    return id;
  }

  /** Returns the timer of the session timeout. */
  final Timer session() {
    return session;
  }

  /** Returns the client id, or an empty text. */
  public final String clientId() {
    return clientId;
  }

  /** Returns the address of the client. */
  public final String clientHost() {
    return clientHost;
  }

  /** Returns the rack; null if the client has named none. */
  public final @Nullable String rack() {
    return rack;
  }

  /** Returns the topics to which the member subscribes by name. */
  public final Set<String> topics() {
    return topics;
  }

  /** Returns the member epoch. */
  public final int epoch() {
    return epoch;
  }

  /** Returns the previous epoch, which is valid for a member whose response was lost. */
  public final int previousEpoch() {
    return previousEpoch;
  }

  /** Sets the member epoch. */
  public final void epoch(int next) {
    previousEpoch = next == epoch ? previousEpoch : epoch;
    epoch = next;
  }

  /** Returns true if the name that a test gives is the member's id or client id. */
  protected boolean isCalled(String name) {
    return name.equals(id) || name.equals(clientId);
  }
}

package dev.decant.fake.share;

import dev.decant.fake.api.RequestContext;
import dev.decant.fake.group.ModernMember;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import java.util.Collection;
import java.util.Set;

/** A member of a {@link ShareGroup}, which alone changes it. */
final class ShareMember extends ModernMember {
  private Set<ShareKey> assigned = Set.of();

  ShareMember(String id, Runnable onSessionEnd) {
    super(id, onSessionEnd);
  }

  /** Takes over the fields of a heartbeat; null changes nothing. Returns true if the topics have changed. */
  boolean describe(RequestContext context, ShareGroupHeartbeatRequest request) {
    return describe(context, request.rackId(), request.subscribedTopicNames());
  }

  /** Returns the partitions that the member may read. */
  Set<ShareKey> assigned() {
    return assigned;
  }

  void assign(Collection<ShareKey> partitions) {
    assigned = Set.copyOf(partitions);
  }

  @Override
  public String toString() {
    return id() + " epoch " + epoch() + " " + assigned;
  }
}

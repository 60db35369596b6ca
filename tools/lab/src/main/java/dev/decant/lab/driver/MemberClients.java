package dev.decant.lab.driver;

import java.util.HashMap;
import java.util.Map;

/** Opens the clients of a group's members. */
final class MemberClients {
  private MemberClients() {}

  /** Returns the way in which each member of the work's group opens its client. */
  static Member.Opening opening(WorkSpec spec) {
    Map<String, String> settings = new HashMap<>(spec.consumer());
    if ("consumer".equals(settings.get("group.protocol"))) {
      // KIP-848: the broker sets both for the group, and kafka-clients rejects them with this protocol.
      settings.remove(WorkSpec.SESSION_TIMEOUT);
      settings.remove(WorkSpec.HEARTBEAT_INTERVAL);
    }
    return member -> spec.isDecant()
        ? new DecantMember(member, spec, settings)
        : new ApacheMember(member, spec, settings);
  }
}

package dev.decant.kafka.consumer;

import dev.decant.kafka.clientmetrics.PushSource;
import dev.decant.kafka.group.GroupMember;
import dev.decant.kafka.group.GroupSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Labels of a consumer's metrics for brokers that ask for them (KIP-714). Owner of the loop only. */
final class ConsumerLabels implements PushSource {
  private final String rack;
  private final AssignedPartitions assigned;
  private final @Nullable GroupSettings group;
  private final @Nullable GroupMember member;

  ConsumerLabels(String rack, AssignedPartitions assigned, @Nullable GroupSettings group,
      @Nullable GroupMember member) {
    this.rack = rack;
    this.assigned = assigned;
    this.group = group;
    this.member = member;
  }

  @Override
  public boolean isProducer() {
    return false;
  }

  @Override
  public Map<String, String> labels() {
    Map<String, String> labels = new LinkedHashMap<>();
    if (!rack.isEmpty()) {
      labels.put(CLIENT_RACK, rack);
    }
    GroupSettings g = group;
    if (g != null) {
      labels.put(GROUP_ID, g.groupId());
    }
    String instance = g == null ? null : g.instanceId();
    if (instance != null) {
      labels.put(GROUP_INSTANCE_ID, instance);
    }
    GroupMember m = member;
    if (m != null && !m.metadata().memberId().isEmpty()) {
      labels.put(GROUP_MEMBER_ID, m.metadata().memberId());
    }
    return labels;
  }

  @Override
  public int assignedPartitions() {
    return assigned.all().size();
  }

  @Override
  public long largestLag() {
    return assigned.status(ConsumerStatus.UNKNOWN).maxLag();
  }
}

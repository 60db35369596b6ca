package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.SettingTable;
import dev.decant.fake.cluster.Settings;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse.DescribeConfigsSynonym;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Describes and checks the settings of groups (KIP-848, KIP-932). A group need not exist to have settings. */
final class GroupConfigs {
  private static final byte OF_GROUP = 8;

  private GroupConfigs() {}

  /** Describes all settings of a group, by name. */
  static List<DescribeConfigsResourceResult> of(Cluster cluster, String groupId, boolean withSynonyms)
      throws Refusal {
    if (groupId.isEmpty()) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, "Group name must not be empty");
    }
    Settings settings = cluster.groupSettings(groupId);
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    for (SettingTable.Setting setting : SettingTable.ofGroups().values()) {
      List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
      if (settings.overrides().containsKey(setting.name())) {
        synonyms.add(TopicConfigs.synonym(setting.name(), settings.get(setting.name()), OF_GROUP));
      }
      TopicConfigs.addSynonymsOfBrokers(synonyms, setting, cluster.settings());
      all.add(TopicConfigs.described(setting, settings.get(setting.name()), synonyms, withSynonyms).readOnly(false));
    }
    return all;
  }

  /**
   * Checks new values of settings of a group.
   *
   * @param changes values by name, null for a setting that is removed
   * @throws Refusal if there is no such setting, or it cannot have the value
   */
  static void check(Map<String, @Nullable String> changes, Settings brokers) throws Refusal {
    for (String name : changes.keySet()) {
      if (!SettingTable.ofGroups().containsKey(name)) {
        throw new Refusal(ErrorCode.INVALID_CONFIG, "Unknown group config name: " + name);
      }
    }
    for (Map.Entry<String, @Nullable String> change : changes.entrySet()) {
      String value = change.getValue();
      if (value != null) {
        TopicConfigs.check(Objects.requireNonNull(SettingTable.ofGroups().get(change.getKey())), value);
        checkBounds(change.getKey(), value, brokers);
      }
    }
  }

  /** Checks the brokers' bounds: group.share.min.x and group.share.max.x bound a group's setting share.x. */
  private static void checkBounds(String name, String value, Settings brokers) throws Refusal {
    String least = "group." + name.replaceFirst("\\.", ".min.");
    String most = "group." + name.replaceFirst("\\.", ".max.");
    if (SettingTable.ofBrokers().containsKey(least) && Long.parseLong(value.trim()) < brokers.getLong(least)) {
      throw new Refusal(ErrorCode.INVALID_CONFIG, name + " must be greater than or equal to " + least);
    }
    if (SettingTable.ofBrokers().containsKey(most) && Long.parseLong(value.trim()) > brokers.getLong(most)) {
      throw new Refusal(ErrorCode.INVALID_CONFIG, name + " must be less than or equal to " + most);
    }
  }
}

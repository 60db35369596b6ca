package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.SettingTable;
import dev.decant.fake.cluster.Settings;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.cluster.Topics;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsResponse;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** IncrementalAlterConfigs (KIP-339): makes all changes of a resource, or none. Brokers share their settings. */
final class IncrementalAlterConfigsHandler
    implements
      ApiHandler<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse> {
  static final byte SET = 0;
  static final byte DELETE = 1;
  private static final byte APPEND = 2;
  private static final byte SUBTRACT = 3;

  private final Cluster cluster;

  IncrementalAlterConfigsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(IncrementalAlterConfigsRequest request, RequestContext context,
      Reply<IncrementalAlterConfigsResponse> reply) {
    List<AlterConfigsResourceResponse> responses = new ArrayList<>();
    Map<String, Integer> counts = new LinkedHashMap<>();
    request.resources().forEach(r -> counts.merge(keyOf(r), 1, Integer::sum));
    for (AlterConfigsResource resource : request.resources()) {
      try {
        if (counts.getOrDefault(keyOf(resource), 0) > 1) {
          throw new Refusal(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.");
        }
        alter(resource, request.validateOnly(), context);
        responses.add(response(resource).errorMessage(null));
      } catch (Refusal e) {
        responses.add(response(resource).errorCode(e.error().code()).errorMessage(e.getMessage()));
      }
    }
    reply.complete(new IncrementalAlterConfigsResponse().responses(responses));
  }

  private static String keyOf(AlterConfigsResource resource) {
    return resource.resourceType() + resource.resourceName();
  }

  private static AlterConfigsResourceResponse response(AlterConfigsResource resource) {
    return new AlterConfigsResourceResponse().resourceType(resource.resourceType())
        .resourceName(resource.resourceName());
  }

  /** Makes all changes of one resource, or none. */
  void alter(AlterConfigsResource resource, boolean validateOnly, RequestContext context) throws Refusal {
    checkForm(resource);
    switch (resource.resourceType()) {
      case ConfigResources.TOPIC -> alterTopic(resource, validateOnly);
      case ConfigResources.BROKER -> alterBrokers(resource, validateOnly, context);
      case ConfigResources.GROUP -> alterGroup(resource, validateOnly);
      default -> throw new Refusal(ErrorCode.INVALID_REQUEST,
          "Unknown resource type " + resource.resourceType());
    }
  }

  private static void checkForm(AlterConfigsResource resource) throws Refusal {
    Set<String> names = new HashSet<>();
    List<String> withoutValue = new ArrayList<>();
    boolean isRepeated = false;
    for (AlterableConfig one : resource.configs()) {
      isRepeated |= !names.add(one.name());
      if (one.configOperation() != DELETE && one.value() == null) {
        withoutValue.add(one.name());
      }
    }
    if (isRepeated) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys");
    }
    if (!withoutValue.isEmpty()) {
      throw new Refusal(ErrorCode.INVALID_REQUEST,
          "Null value not supported for : " + String.join(", ", withoutValue));
    }
  }

  private static void checkLists(AlterConfigsResource resource, Map<String, SettingTable.Setting> known)
      throws Refusal {
    for (AlterableConfig one : resource.configs()) {
      SettingTable.Setting setting = known.get(one.name());
      boolean isOfList = one.configOperation() == APPEND || one.configOperation() == SUBTRACT;
      if (isOfList && (setting == null || !setting.type().equals("list"))) {
        throw new Refusal(ErrorCode.INVALID_CONFIG, "Can't "
            + (one.configOperation() == APPEND ? "APPEND" : "SUBTRACT") + " to key " + one.name()
            + " because its type is not LIST.");
      }
    }
  }

  private void alterTopic(AlterConfigsResource resource, boolean validateOnly) throws Refusal {
    checkLists(resource, SettingTable.ofTopics());
    String problem = Topics.problemOf(resource.resourceName());
    if (problem != null) {
      throw new Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
    }
    Topic topic = cluster.topics().named(resource.resourceName());
    Settings settings = topic == null ? cluster.settings().ofTopic() : topic.settings();
    Map<String, @Nullable String> changes = changes(resource, settings);
    Map<String, String> checked = new LinkedHashMap<>(settings.overrides());
    changes.forEach((name, value) -> {
      if (value == null) {
        checked.remove(name);
      } else {
        checked.put(name, value);
      }
    });
    TopicConfigs.check(checked); // before the check that the topic exists, as brokers do
    if (topic == null) {
      throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
          "The topic '" + resource.resourceName() + "' does not exist.");
    }
    if (!validateOnly) {
      changes.forEach((name, value) -> apply(settings, name, value, false));
      topic.settingsChanged();
    }
  }

  private void alterBrokers(AlterConfigsResource resource, boolean validateOnly, RequestContext context)
      throws Refusal {
    ConfigResources.checkBroker(resource.resourceName(), context, "Unexpected broker id, expected "
        + context.broker().id() + ", but received " + resource.resourceName());
    checkLists(resource, SettingTable.ofBrokers());
    Map<String, @Nullable String> changes = changes(resource, cluster.settings());
    for (Map.Entry<String, @Nullable String> change : changes.entrySet()) {
      if (!SettingTable.isDynamic(change.getKey())) {
        throw new Refusal(ErrorCode.INVALID_REQUEST,
            "Cannot update these configs dynamically: Set(" + change.getKey() + ")");
      }
      String value = change.getValue();
      if (value != null) {
        TopicConfigs.check(Objects.requireNonNull(SettingTable.ofBrokers().get(change.getKey())), value);
      }
    }
    if (!validateOnly) {
      changes.forEach((name, value) -> apply(cluster.settings(), name, value, true));
      cluster.topics().all().forEach(Topic::settingsChanged);
    }
  }

  private void alterGroup(AlterConfigsResource resource, boolean validateOnly) throws Refusal {
    String groupId = resource.resourceName();
    if (groupId.isEmpty()) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, "Default group resources are not allowed.");
    }
    Map<String, @Nullable String> changes = changes(resource, cluster.groupSettings(groupId));
    GroupConfigs.check(changes, cluster.settings());
    if (!validateOnly) {
      Settings settings = cluster.changeGroupSettings(groupId);
      changes.forEach((name, value) -> apply(settings, name, value, false));
    }
  }

  private static void apply(Settings settings, String name, @Nullable String value, boolean ofBrokers) {
    if (value == null) {
      settings.clear(name);
    } else if (ofBrokers) {
      settings.setDynamic(name, value);
    } else {
      settings.set(name, value);
    }
  }

  /** Returns the values after the changes, null for a setting that is removed. */
  private static Map<String, @Nullable String> changes(AlterConfigsResource resource, Settings settings)
      throws Refusal {
    Map<String, @Nullable String> changes = new LinkedHashMap<>();
    for (AlterableConfig one : resource.configs()) {
      String value = one.value() == null ? "" : one.value();
      switch (one.configOperation()) {
        case SET -> changes.put(one.name(), value);
        case DELETE -> changes.put(one.name(), null);
        case APPEND, SUBTRACT -> changes.put(one.name(),
            changed(settings.get(one.name()), value, one.configOperation() == APPEND));
        default -> throw new Refusal(ErrorCode.INVALID_REQUEST, "Unknown operation type " + one.configOperation());
      }
    }
    return changes;
  }

  private static String changed(String present, String value, boolean isAppend) {
    List<String> items = new ArrayList<>(present.isEmpty() ? List.of() : List.of(present.split(",", -1)));
    for (String item : value.split(",", -1)) {
      if (!isAppend) {
        items.remove(item);
      } else if (!items.contains(item)) {
        items.add(item);
      }
    }
    return String.join(",", items);
  }

  @Override
  public IncrementalAlterConfigsResponse refuse(IncrementalAlterConfigsRequest request, RequestContext context,
      ErrorCode error) {
    return new IncrementalAlterConfigsResponse().responses(request.resources().stream()
        .map(r -> response(r).errorCode(error.code()).errorMessage(Refusal.of(error).getMessage())).toList());
  }

  @Override
  public Collection<String> topics(IncrementalAlterConfigsRequest request, Cluster ofTopics) {
    return request.resources().stream().filter(r -> r.resourceType() == ConfigResources.TOPIC)
        .map(AlterConfigsResource::resourceName).toList();
  }
}

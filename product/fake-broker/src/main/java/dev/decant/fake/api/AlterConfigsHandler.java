package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Settings;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AlterConfigsRequest;
import dev.decant.kafka.protocol.message.AlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.AlterConfigsRequest.AlterableConfig;
import dev.decant.kafka.protocol.message.AlterConfigsResponse;
import dev.decant.kafka.protocol.message.AlterConfigsResponse.AlterConfigsResourceResponse;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * AlterConfigs (KIP-133): replaces all set settings of a resource by those in the request. Clients from 4.0 on have no
 * such request.
 */
final class AlterConfigsHandler implements ApiHandler<AlterConfigsRequest, AlterConfigsResponse> {
  private final Cluster cluster;
  private final IncrementalAlterConfigsHandler alteration;

  AlterConfigsHandler(Cluster cluster, IncrementalAlterConfigsHandler alteration) {
    this.cluster = cluster;
    this.alteration = alteration;
  }

  @Override
  public void handle(AlterConfigsRequest request, RequestContext context, Reply<AlterConfigsResponse> reply) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    request.resources().forEach(r -> counts.merge(keyOf(r), 1, Integer::sum));
    List<AlterConfigsResourceResponse> responses = new ArrayList<>();
    for (AlterConfigsResource resource : request.resources()) {
      try {
        if (counts.getOrDefault(keyOf(resource), 0) > 1) {
          throw new Refusal(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.");
        }
        alteration.alter(changes(resource), request.validateOnly(), context);
        responses.add(response(resource).errorMessage(null));
      } catch (Refusal e) {
        responses.add(response(resource).errorCode(e.error().code()).errorMessage(e.getMessage()));
      }
    }
    reply.complete(new AlterConfigsResponse().responses(responses));
  }

  private static String keyOf(AlterConfigsResource resource) {
    return resource.resourceType() + resource.resourceName();
  }

  /** Returns the request as single changes: each setting that it does not name is removed. */
  private IncrementalAlterConfigsRequest.AlterConfigsResource changes(AlterConfigsResource resource) {
    List<IncrementalAlterConfigsRequest.AlterableConfig> changes = new ArrayList<>();
    Set<String> unnamed = present(resource);
    for (AlterableConfig one : resource.configs()) {
      unnamed.remove(one.name());
      changes.add(change(one.name(), IncrementalAlterConfigsHandler.SET).value(one.value()));
    }
    unnamed.forEach(name -> changes.add(change(name, IncrementalAlterConfigsHandler.DELETE).value(null)));
    return new IncrementalAlterConfigsRequest.AlterConfigsResource().resourceType(resource.resourceType())
        .resourceName(resource.resourceName()).configs(changes);
  }

  private static IncrementalAlterConfigsRequest.AlterableConfig change(String name, byte operation) {
    return new IncrementalAlterConfigsRequest.AlterableConfig().name(name).configOperation(operation);
  }

  /** Returns the set settings; of a broker those that were set while it ran. */
  private Set<String> present(AlterConfigsResource resource) {
    Settings brokers = cluster.settings();
    Set<String> names = new HashSet<>();
    if (resource.resourceType() == ConfigResources.BROKER) {
      brokers.overrides().keySet().stream().filter(brokers::isDynamic).forEach(names::add);
    } else if (resource.resourceType() == ConfigResources.TOPIC) {
      Topic topic = cluster.topics().named(resource.resourceName());
      names.addAll(topic == null ? Set.of() : topic.settings().overrides().keySet());
    }
    return names;
  }

  private static AlterConfigsResourceResponse response(AlterConfigsResource resource) {
    return new AlterConfigsResourceResponse().resourceType(resource.resourceType())
        .resourceName(resource.resourceName());
  }

  @Override
  public AlterConfigsResponse refuse(AlterConfigsRequest request, RequestContext context, ErrorCode error) {
    return new AlterConfigsResponse().responses(request.resources().stream()
        .map(r -> response(r).errorCode(error.code()).errorMessage(Refusal.of(error).getMessage())).toList());
  }

  @Override
  public Collection<String> topics(AlterConfigsRequest request, Cluster ofTopics) {
    return request.resources().stream().filter(r -> r.resourceType() == ConfigResources.TOPIC)
        .map(AlterConfigsResource::resourceName).toList();
  }
}

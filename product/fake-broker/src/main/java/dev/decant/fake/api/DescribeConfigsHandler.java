package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.cluster.Topics;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse.DescribeConfigsResult;
import java.util.Collection;
import java.util.List;

/** DescribeConfigs: returns the settings of topics and groups, and of brokers, which all have the same ones. */
final class DescribeConfigsHandler implements ApiHandler<DescribeConfigsRequest, DescribeConfigsResponse> {
  private final Cluster cluster;

  DescribeConfigsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(DescribeConfigsRequest request, RequestContext context, Reply<DescribeConfigsResponse> reply) {
    reply.complete(new DescribeConfigsResponse().results(request.resources().stream()
        .map(resource -> describe(resource, request.includeSynonyms(), context)).toList()));
  }

  private DescribeConfigsResult describe(DescribeConfigsResource wanted, boolean withSynonyms,
      RequestContext context) {
    try {
      List<DescribeConfigsResourceResult> all = switch (wanted.resourceType()) {
        case ConfigResources.TOPIC -> TopicConfigs.of(topic(wanted.resourceName()).settings(), withSynonyms);
        case ConfigResources.BROKER -> {
          ConfigResources.checkBroker(wanted.resourceName(), context, "Unexpected broker id, expected "
              + context.broker().id() + " or empty string, but received " + wanted.resourceName());
          yield TopicConfigs.ofBrokers(cluster.settings(), withSynonyms);
        }
        case ConfigResources.GROUP -> GroupConfigs.of(cluster, wanted.resourceName(), withSynonyms);
        default -> throw new Refusal(ErrorCode.INVALID_REQUEST,
            "Unsupported resource type: " + wanted.resourceType());
      };
      List<String> keys = wanted.configurationKeys();
      return result(wanted)
          .configs(keys == null
              ? all
              : all.stream().filter(c -> keys.contains(c.name())).toList());
    } catch (Refusal e) {
      return result(wanted).errorCode(e.error().code()).errorMessage(e.getMessage());
    }
  }

  private Topic topic(String name) throws Refusal {
    String problem = Topics.problemOf(name);
    if (problem != null) {
      throw new Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
    }
    Topic topic = cluster.topics().named(name);
    if (topic == null) {
      throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "");
    }
    return topic;
  }

  private static DescribeConfigsResult result(DescribeConfigsResource wanted) {
    return new DescribeConfigsResult().resourceType(wanted.resourceType()).resourceName(wanted.resourceName());
  }

  @Override
  public DescribeConfigsResponse refuse(DescribeConfigsRequest request, RequestContext context, ErrorCode error) {
    return new DescribeConfigsResponse().results(request.resources().stream()
        .map(r -> result(r).errorCode(error.code()).errorMessage(Refusal.of(error).getMessage())).toList());
  }

  @Override
  public Collection<String> topics(DescribeConfigsRequest request, Cluster ofTopics) {
    return request.resources().stream().filter(r -> r.resourceType() == ConfigResources.TOPIC)
        .map(DescribeConfigsResource::resourceName).toList();
  }
}

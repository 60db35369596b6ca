package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Release;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.ApiVersionsResponse.ApiVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * ApiVersions: returns the APIs of the broker. The response to an unknown version has version 0 and the broker's own
 * range (KIP-511).
 */
final class ApiVersionsHandler implements ApiHandler<ApiVersionsRequest, ApiVersionsResponse> {
  private static final Pattern SOFTWARE = Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?");
  private static final int FIRST_WITH_SOFTWARE = 3;
  private static final int FIRST_WITH_LEVEL_ZERO = 4;
  private static final int FIRST_WITH_CLUSTER = 5;

  private final Cluster cluster;
  private final ApiTable apis;

  ApiVersionsHandler(Cluster cluster, ApiTable apis) {
    this.cluster = cluster;
    this.apis = apis;
  }

  @Override
  public void handle(ApiVersionsRequest request, RequestContext context, Reply<ApiVersionsResponse> reply) {
    Release.Range own = apis.versions(ApiKey.API_VERSIONS);
    if (own == null || !own.contains(context.version())) {
      reply.complete(refuse(request, context, ErrorCode.UNSUPPORTED_VERSION));
    } else if (context.version() >= FIRST_WITH_SOFTWARE && !isNamed(request)) {
      reply.complete(refuse(request, context, ErrorCode.INVALID_REQUEST));
    } else if (context.version() >= FIRST_WITH_CLUSTER && isForOther(request, context)) {
      reply.complete(refuse(request, context, ErrorCode.REBOOTSTRAP_REQUIRED));
    } else {
      reply.complete(versions(context));
    }
  }

  private static boolean isNamed(ApiVersionsRequest request) {
    return SOFTWARE.matcher(request.clientSoftwareName()).matches()
        && SOFTWARE.matcher(request.clientSoftwareVersion()).matches();
  }

  /** Returns true if the request names another broker or cluster than this one (KIP-1242). */
  private boolean isForOther(ApiVersionsRequest request, RequestContext context) {
    String clusterId = request.clusterId();
    return (clusterId != null && !clusterId.equals(cluster.id()))
        || (request.nodeId() >= 0 && request.nodeId() != context.broker().id());
  }

  private ApiVersionsResponse versions(RequestContext context) {
    List<ApiVersion> offered = new ArrayList<>();
    for (ApiKey key : ApiKey.values()) {
      Release.Range range = apis.versions(key);
      if (range != null) {
        offered.add(version(key, range));
      }
    }
    ApiVersionsResponse response = new ApiVersionsResponse().apiKeys(offered);
    Features.addTo(response, cluster.release());
    if (context.version() < FIRST_WITH_LEVEL_ZERO) { // KAFKA-17011: older clients cannot read a level of zero
      response.supportedFeatures(response.supportedFeatures().stream().filter(f -> f.minVersion() > 0).toList());
    }
    return response;
  }

  /**
   * Returns the offered versions of an API. Brokers from 4.0 on offer Produce from version 0 on, although they refuse
   * versions below 3 (KAFKA-18659).
   */
  private ApiVersion version(ApiKey key, Release.Range range) {
    boolean pretends = key == ApiKey.PRODUCE && cluster.release().isAtLeast(4, 0);
    return new ApiVersion().apiKey(key.id()).minVersion(pretends ? 0 : range.lowest()).maxVersion(range.highest());
  }

  @Override
  public ApiVersionsResponse refuse(ApiVersionsRequest request, RequestContext context, ErrorCode error) {
    ApiVersionsResponse response = new ApiVersionsResponse().errorCode(error.code());
    Release.Range own = apis.versions(ApiKey.API_VERSIONS);
    if (error == ErrorCode.UNSUPPORTED_VERSION && own != null && cluster.release().isAtLeast(2, 4)) {
      response.apiKeys(List.of(version(ApiKey.API_VERSIONS, own)));
    }
    return response;
  }
}

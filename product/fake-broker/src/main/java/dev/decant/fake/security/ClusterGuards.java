package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AlterConfigsRequest;
import dev.decant.kafka.protocol.message.AlterConfigsResponse;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsResponse;
import dev.decant.kafka.protocol.message.CreateAclsRequest;
import dev.decant.kafka.protocol.message.CreateAclsResponse;
import dev.decant.kafka.protocol.message.DeleteAclsRequest;
import dev.decant.kafka.protocol.message.DeleteAclsResponse;
import dev.decant.kafka.protocol.message.DescribeAclsRequest;
import dev.decant.kafka.protocol.message.DescribeAclsResponse;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse;
import dev.decant.kafka.protocol.message.DescribeLogDirsRequest;
import dev.decant.kafka.protocol.message.DescribeLogDirsResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsResponse;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsResponse;

/** The rights that the APIs of the cluster, of settings and of coordinators need. */
final class ClusterGuards {
  private static final int FIRST_WITH_KEYS = 4;
  private static final byte TOPIC = 2;
  private static final byte BROKER = 4;
  private static final byte BROKER_LOGGER = 8;
  private static final byte CLIENT_METRICS = 16;
  private static final byte GROUP = 32;
  /** The operation that removes a config: the only change without a value. */
  private static final byte DELETE = 1;
  private static final byte KEY_OF_GROUP = 0;
  private static final byte KEY_OF_TRANSACTION = 1;
  private static final byte KEY_OF_SHARE = 2;

  private ClusterGuards() {}

  static void addTo(ApiTable apis) {
    Guard<FindCoordinatorRequest, FindCoordinatorResponse> ofKey = Guard.whole(
        (request, access) -> coordinator(request, request.key(), access));
    var ofKeys = new Parts<FindCoordinatorRequest, FindCoordinatorResponse, String>(
        FindCoordinatorRequest::coordinatorKeys,
        FindCoordinatorRequest::coordinatorKeys, parts -> new FindCoordinatorRequest().coordinatorKeys(parts),
        ClusterGuards::coordinator,
        (to, from) -> to.coordinators(Parts.both(to.coordinators(), from.coordinators())));
    Guard<FindCoordinatorRequest, FindCoordinatorResponse> worded = Guard.after((request, context, response) -> {
      if (response.errorCode() == ErrorCode.GROUP_AUTHORIZATION_FAILED.code()) {
        response.errorMessage("Group authorization failed.");
      } else if (response.errorCode() == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code()) {
        response.errorMessage("Transactional Id authorization failed.");
      }
      return response;
    });
    Guards.add(apis, ApiKey.FIND_COORDINATOR, worded.then(ofKey).inVersions(0, FIRST_WITH_KEYS - 1)
        .then(ofKeys.inVersions(FIRST_WITH_KEYS, Short.MAX_VALUE)));
    Guards.add(apis, ApiKey.DESCRIBE_CLUSTER,
        Guard.<DescribeClusterRequest, DescribeClusterResponse>after((request, context, response) -> request
            .includeClusterAuthorizedOperations() && response.errorCode() == ErrorCode.NONE.code()
                ? response.clusterAuthorizedOperations(clusterOperations(context.access()))
                : response));
    Guards.add(apis, ApiKey.DESCRIBE_LOG_DIRS,
        ClusterGuards.<DescribeLogDirsRequest, DescribeLogDirsResponse>cluster(Operations.DESCRIBE));
    Guards.add(apis, ApiKey.ALTER_PARTITION_REASSIGNMENTS, ClusterGuards
        .<AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse>cluster(Operations.ALTER));
    Guards.add(apis, ApiKey.LIST_PARTITION_REASSIGNMENTS, ClusterGuards
        .<ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse>cluster(Operations.DESCRIBE));
    Guards.add(apis, ApiKey.DESCRIBE_ACLS,
        ClusterGuards.<DescribeAclsRequest, DescribeAclsResponse>cluster(Operations.DESCRIBE));
    Guards.add(apis, ApiKey.CREATE_ACLS,
        ClusterGuards.<CreateAclsRequest, CreateAclsResponse>cluster(Operations.ALTER));
    Guards.add(apis, ApiKey.DELETE_ACLS,
        ClusterGuards.<DeleteAclsRequest, DeleteAclsResponse>cluster(Operations.ALTER));
    Guards.add(apis, ApiKey.DESCRIBE_CONFIGS,
        new Parts<DescribeConfigsRequest, DescribeConfigsResponse, DescribeConfigsResource>(
            DescribeConfigsRequest::resources, DescribeConfigsRequest::resources,
            parts -> new DescribeConfigsRequest().resources(parts),
            (request, part, access) -> config(Operations.DESCRIBE_CONFIGS, part.resourceType(), part.resourceName(),
                access),
            (to, from) -> to.results(Parts.both(to.results(), from.results()))));
    Guards.add(apis, ApiKey.ALTER_CONFIGS, oldAlterations());
    Guards.add(apis, ApiKey.INCREMENTAL_ALTER_CONFIGS,
        new Parts<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse, AlterConfigsResource>(
            IncrementalAlterConfigsRequest::resources, IncrementalAlterConfigsRequest::resources,
            parts -> new IncrementalAlterConfigsRequest().resources(parts),
            (request, part, access) -> isWellFormed(request, part)
                ? config(Operations.ALTER_CONFIGS, part.resourceType(), part.resourceName(), access)
                : ErrorCode.NONE, // the handler refuses it
            (to, from) -> to.responses(Parts.both(to.responses(), from.responses()))));
  }

  /** Returns true if an alteration is well-formed. Brokers check this before the controller checks the rights. */
  private static boolean isWellFormed(IncrementalAlterConfigsRequest request, AlterConfigsResource part) {
    long named = request.resources().stream().filter(other -> other.resourceType() == part.resourceType()
        && other.resourceName().equals(part.resourceName())).count();
    long names = part.configs().stream().map(AlterableConfig::name).distinct().count();
    return named == 1 && names == part.configs().size()
        && part.configs().stream().allMatch(one -> one.value() != null || one.configOperation() == DELETE);
  }

  /** Returns the guard of AlterConfigs, which clients before 4.0 send. */
  private static Guard<AlterConfigsRequest, AlterConfigsResponse> oldAlterations() {
    return new Parts<AlterConfigsRequest, AlterConfigsResponse, AlterConfigsRequest.AlterConfigsResource>(
        AlterConfigsRequest::resources, AlterConfigsRequest::resources,
        parts -> new AlterConfigsRequest().resources(parts),
        (request, part, access) -> config(Operations.ALTER_CONFIGS, part.resourceType(), part.resourceName(), access),
        (to, from) -> to.responses(Parts.both(to.responses(), from.responses())));
  }

  private static <Q, R> Guard<Q, R> cluster(int operation) {
    return Guard.whole((request, access) -> Refusals.cluster(operation, access));
  }

  private static ErrorCode coordinator(FindCoordinatorRequest request, String key, Access access) {
    return switch (request.keyType()) {
      case KEY_OF_GROUP -> Refusals.group(Operations.DESCRIBE, key, access);
      case KEY_OF_TRANSACTION -> Refusals.transactionalId(Operations.DESCRIBE, key, access);
      case KEY_OF_SHARE -> Refusals.cluster(Operations.CLUSTER_ACTION, access);
      default -> ErrorCode.NONE; // the handler refuses it
    };
  }

  private static ErrorCode config(int operation, byte type, String name, Access access) {
    return switch (type) {
      case TOPIC -> Refusals.topic(operation, name, access);
      case GROUP -> Refusals.group(operation, name, access);
      case BROKER, BROKER_LOGGER, CLIENT_METRICS -> Refusals.cluster(operation, access);
      default -> ErrorCode.NONE; // the handler refuses it
    };
  }

  /**
   * Returns the operations that a client may do on the cluster; none for a client that may not describe the cluster.
   */
  static int clusterOperations(Access access) {
    return access.mayOnCluster(Operations.DESCRIBE)
        ? Operations.allowed(Operations.OF_CLUSTER, access, Operations.CLUSTER, Operations.CLUSTER_NAME)
        : 0;
  }
}

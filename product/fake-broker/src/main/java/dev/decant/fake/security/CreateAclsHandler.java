package dev.decant.fake.security;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.CreateAclsRequest;
import dev.decant.kafka.protocol.message.CreateAclsRequest.AclCreation;
import dev.decant.kafka.protocol.message.CreateAclsResponse;
import dev.decant.kafka.protocol.message.CreateAclsResponse.AclCreationResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** CreateAcls: adds rules. */
final class CreateAclsHandler implements ApiHandler<CreateAclsRequest, CreateAclsResponse> {
  private final AccessRules rules;

  CreateAclsHandler(AccessRules rules) {
    this.rules = rules;
  }

  @Override
  public void handle(CreateAclsRequest request, RequestContext context, Reply<CreateAclsResponse> reply) {
    if (!rules.haveAuthorizer()) {
      reply.complete(refused(request, ErrorCode.SECURITY_DISABLED, "No Authorizer is configured."));
      return;
    }
    reply.complete(new CreateAclsResponse().results(request.creations().stream().map(this::create).toList()));
  }

  private AclCreationResult create(AclCreation wanted) {
    String problem = problemOf(wanted);
    if (problem != null) {
      return new AclCreationResult().errorCode(ErrorCode.INVALID_REQUEST.code()).errorMessage(problem);
    }
    rules.add(new AccessRule(wanted.principal(), wanted.host(), wanted.operation(),
        wanted.permissionType() == AccessFilter.ALLOWS, wanted.resourceType(), wanted.resourcePatternType(),
        wanted.resourceName()));
    return new AclCreationResult().errorMessage(null);
  }

  private static @Nullable String problemOf(AclCreation wanted) {
    if (wanted.resourceType() == Operations.CLUSTER && !wanted.resourceName().equals(Operations.CLUSTER_NAME)) {
      return "The only valid name for the CLUSTER resource is " + Operations.CLUSTER_NAME;
    }
    if (wanted.resourceName().isEmpty()) {
      return "Invalid empty resource name";
    }
    boolean isOfPattern = wanted.resourcePatternType() == AccessRule.LITERAL
        || wanted.resourcePatternType() == AccessRule.PREFIXED;
    boolean isOfPermission = wanted.permissionType() == AccessFilter.ALLOWS
        || wanted.permissionType() == AccessFilter.DENIES;
    return isOfPattern && isOfPermission ? null : "Invalid pattern type or permission type";
  }

  private static CreateAclsResponse refused(CreateAclsRequest request, ErrorCode error, @Nullable String message) {
    List<AclCreationResult> results = request.creations().stream()
        .map(c -> new AclCreationResult().errorCode(error.code()).errorMessage(message)).toList();
    return new CreateAclsResponse().results(results);
  }

  @Override
  public CreateAclsResponse refuse(CreateAclsRequest request, RequestContext context, ErrorCode error) {
    return refused(request, error, error.description());
  }
}

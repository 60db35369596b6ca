package dev.decant.fake.security;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DeleteAclsRequest;
import dev.decant.kafka.protocol.message.DeleteAclsRequest.DeleteAclsFilter;
import dev.decant.kafka.protocol.message.DeleteAclsResponse;
import dev.decant.kafka.protocol.message.DeleteAclsResponse.DeleteAclsFilterResult;
import dev.decant.kafka.protocol.message.DeleteAclsResponse.DeleteAclsMatchingAcl;

/** DeleteAcls: removes rules, and returns them. */
final class DeleteAclsHandler implements ApiHandler<DeleteAclsRequest, DeleteAclsResponse> {
  private final AccessRules rules;

  DeleteAclsHandler(AccessRules rules) {
    this.rules = rules;
  }

  @Override
  public void handle(DeleteAclsRequest request, RequestContext context, Reply<DeleteAclsResponse> reply) {
    if (!rules.haveAuthorizer()) {
      reply.complete(refused(request, ErrorCode.SECURITY_DISABLED, "No Authorizer is configured."));
      return;
    }
    reply.complete(new DeleteAclsResponse().filterResults(request.filters().stream().map(this::delete).toList()));
  }

  private DeleteAclsFilterResult delete(DeleteAclsFilter wanted) {
    AccessFilter filter = new AccessFilter(wanted.resourceTypeFilter(), wanted.resourceNameFilter(),
        wanted.patternTypeFilter(), wanted.principalFilter(), wanted.hostFilter(), wanted.operation(),
        wanted.permissionType());
    return new DeleteAclsFilterResult().errorMessage(null).matchingAcls(rules.remove(filter).stream()
        .map(rule -> new DeleteAclsMatchingAcl().errorMessage(null).resourceType((byte) rule.resourceType())
            .resourceName(rule.name()).patternType((byte) rule.pattern()).principal(rule.principal())
            .host(rule.host()).operation((byte) rule.operation()).permissionType(AccessFilter.permission(rule)))
        .toList());
  }

  private static DeleteAclsResponse refused(DeleteAclsRequest request, ErrorCode error, String message) {
    return new DeleteAclsResponse().filterResults(request.filters().stream()
        .map(f -> new DeleteAclsFilterResult().errorCode(error.code()).errorMessage(message)).toList());
  }

  @Override
  public DeleteAclsResponse refuse(DeleteAclsRequest request, RequestContext context, ErrorCode error) {
    return refused(request, error, error.description());
  }
}

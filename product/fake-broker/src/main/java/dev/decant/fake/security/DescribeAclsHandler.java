package dev.decant.fake.security;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeAclsRequest;
import dev.decant.kafka.protocol.message.DescribeAclsResponse;
import dev.decant.kafka.protocol.message.DescribeAclsResponse.AclDescription;
import dev.decant.kafka.protocol.message.DescribeAclsResponse.DescribeAclsResource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** DescribeAcls: returns the rules, by resource. */
final class DescribeAclsHandler implements ApiHandler<DescribeAclsRequest, DescribeAclsResponse> {
  private final AccessRules rules;

  /** The resource by which a response groups rules. */
  private record Resource(int type, String name, int pattern) {}

  DescribeAclsHandler(AccessRules rules) {
    this.rules = rules;
  }

  @Override
  public void handle(DescribeAclsRequest request, RequestContext context, Reply<DescribeAclsResponse> reply) {
    if (!rules.haveAuthorizer()) {
      reply.complete(new DescribeAclsResponse().errorCode(ErrorCode.SECURITY_DISABLED.code())
          .errorMessage("No Authorizer is configured on the broker"));
      return;
    }
    AccessFilter filter = new AccessFilter(request.resourceTypeFilter(), request.resourceNameFilter(),
        request.patternTypeFilter(), request.principalFilter(), request.hostFilter(), request.operation(),
        request.permissionType());
    Map<Resource, List<AclDescription>> found = new LinkedHashMap<>();
    rules.all().stream().filter(filter).forEach(rule -> found
        .computeIfAbsent(new Resource(rule.resourceType(), rule.name(), rule.pattern()), key -> new ArrayList<>())
        .add(new AclDescription().principal(rule.principal()).host(rule.host()).operation((byte) rule.operation())
            .permissionType(AccessFilter.permission(rule))));
    reply.complete(new DescribeAclsResponse().errorMessage(null).resources(found.entrySet().stream()
        .map(e -> new DescribeAclsResource().resourceType((byte) e.getKey().type()).resourceName(e.getKey().name())
            .patternType((byte) e.getKey().pattern()).acls(e.getValue()))
        .toList()));
  }

  @Override
  public DescribeAclsResponse refuse(DescribeAclsRequest request, RequestContext context, ErrorCode error) {
    return new DescribeAclsResponse().errorCode(error.code()).errorMessage(error.description());
  }
}

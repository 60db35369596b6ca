package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ListGroupsRequest;
import dev.decant.kafka.protocol.message.ListGroupsResponse;
import dev.decant.kafka.protocol.message.ListGroupsResponse.ListedGroup;
import java.util.List;

/**
 * ListGroups: returns the groups that a broker coordinates, from version 4 on those of some states (KIP-518, KIP-848).
 */
final class ListGroupsHandler implements ApiHandler<ListGroupsRequest, ListGroupsResponse> {
  private final GroupCoordinator coordinator;

  ListGroupsHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(ListGroupsRequest request, RequestContext context, Reply<ListGroupsResponse> reply) {
    reply.complete(new ListGroupsResponse().groups(coordinator.at(context.broker()).stream()
        .filter(group -> isWanted(request.statesFilter(), group.stateLabel())
            && isWanted(request.typesFilter(), group.typeLabel()))
        .map(group -> new ListedGroup().groupId(group.id()).protocolType(group.protocolLabel())
            .groupState(group.stateLabel()).groupType(group.typeLabel()))
        .toList()));
  }

  private static boolean isWanted(List<String> filter, String value) {
    return filter.isEmpty() || filter.stream().anyMatch(value::equalsIgnoreCase);
  }

  @Override
  public ListGroupsResponse refuse(ListGroupsRequest request, RequestContext context, ErrorCode error) {
    return new ListGroupsResponse().errorCode(error.code());
  }
}

package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DeleteGroupsRequest;
import dev.decant.kafka.protocol.message.DeleteGroupsResponse;
import dev.decant.kafka.protocol.message.DeleteGroupsResponse.DeletableGroupResult;
import java.util.function.Function;

/** DeleteGroups: deletes groups without members, with their offsets. */
final class DeleteGroupsHandler implements ApiHandler<DeleteGroupsRequest, DeleteGroupsResponse> {
  private final GroupCoordinator coordinator;

  DeleteGroupsHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(DeleteGroupsRequest request, RequestContext context, Reply<DeleteGroupsResponse> reply) {
    reply.complete(response(request, groupId -> delete(groupId, context)));
  }

  private ErrorCode delete(String groupId, RequestContext context) {
    if (!coordinator.isAt(context, groupId)) {
      return ErrorCode.NOT_COORDINATOR;
    }
    Group group = coordinator.find(groupId);
    if (group == null) {
      return ErrorCode.GROUP_ID_NOT_FOUND;
    }
    if (!group.isEmpty()) {
      return ErrorCode.NON_EMPTY_GROUP;
    }
    coordinator.delete(groupId);
    return ErrorCode.NONE;
  }

  private static DeleteGroupsResponse response(DeleteGroupsRequest request, Function<String, ErrorCode> errors) {
    return new DeleteGroupsResponse().results(request.groupsNames().stream()
        .map(id -> new DeletableGroupResult().groupId(id).errorCode(errors.apply(id).code())).toList());
  }

  @Override
  public DeleteGroupsResponse refuse(DeleteGroupsRequest request, RequestContext context, ErrorCode error) {
    return response(request, groupId -> error);
  }
}

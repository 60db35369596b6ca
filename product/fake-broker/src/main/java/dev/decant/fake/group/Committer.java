package dev.decant.fake.group;

import org.jspecify.annotations.Nullable;

/**
 * The client that commits offsets for a group.
 *
 * @param groupId id of the group
 * @param memberId id of the member, empty for a client that is no member
 * @param instanceId instance id of a static member, null for others
 * @param generation generation or member epoch, -1 for a client that is no member
 */
public record Committer(String groupId, String memberId, @Nullable String instanceId, int generation) {}

package dev.decant.fake.group;

import org.jspecify.annotations.Nullable;

/**
 * Who commits offsets for a group.
 *
 * @param groupId the group
 * @param memberId the member, empty for a client that is none
 * @param instanceId of a static member its name, null for others
 * @param generation the generation or member epoch of the member, -1 for a client that is none
 */
public record Committer(String groupId, String memberId, @Nullable String instanceId, int generation) {}

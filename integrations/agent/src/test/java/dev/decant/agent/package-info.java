/** Tests of the agent. */
@NullMarked
package dev.decant.agent;

import org.jspecify.annotations.NullMarked;

/** Code of somebody else's that the agent changes. */
package app;

-- The health of Atoll's kinds for Argo CD: the same conditions are on all of them.
local health = { status = "Progressing", message = "Waiting until the operator has seen the object" }
if obj.status == nil or obj.status.conditions == nil then
  return health
end
if obj.metadata.generation ~= nil and obj.status.observedGeneration ~= obj.metadata.generation then
  health.message = "Waiting until the operator has seen the newest spec"
  return health
end
local conditions = {}
for _, condition in ipairs(obj.status.conditions) do
  conditions[condition.type] = condition
end
local function is(type)
  return conditions[type] ~= nil and conditions[type].status == "True"
end
local ready = conditions["Ready"]
if ready == nil then
  return health
end
health.message = ready.message or ""
if is("Stalled") or is("Degraded") then
  health.status = "Degraded"
elseif is("Paused") then
  health.status = "Suspended"
elseif ready.status == "True" then
  health.status = "Healthy"
else
  health.status = "Progressing"
end
return health
